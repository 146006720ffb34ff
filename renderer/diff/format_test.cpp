#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "renderer/base/markup.h"
#include "renderer/core/json.h"
#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"
#include "renderer/diff/picture_notes.h"

namespace renderer::diff {
namespace {

Device public_device(std::size_t index) {
    Device device;
    device.hostname = fmt::format("device-{:05}", index);
    device.parent = fmt::format("Ingress/shop/device-{:05}", index);
    device.offers = {{"https:443/", "shop/web:80", true, {}}};
    return device;
}

Comparison many(std::size_t count, std::size_t clusters) {
    Comparison comparison;
    for (std::size_t c = 0; c < clusters; ++c) {
        ClusterComparison cluster;
        cluster.cluster = fmt::format("cluster-{}", c);
        std::vector<Device> devices;
        for (std::size_t i = 0; i < count; ++i) {
            devices.push_back(public_device(i));
            ObjectChange change;
            change.title = fmt::format("ConfigMap/shop/{:05}", i);
            change.fields = {{"data.x", FieldEdit::Changed, "\"<a>\"", "\"`b`\""}};
            cluster.objects.changes.push_back(std::move(change));
        }
        cluster.devices = compare_devices({}, std::move(devices), {});
        comparison.clusters.push_back(std::move(cluster));
    }
    return comparison;
}

TEST(PictureNotes, OfManyClustersFitIntoMermaid) {
    const std::vector<std::string> notes = picture_notes(many(5, 1'000), true);
    std::size_t size = 0;
    for (const std::string& note : notes) {
        size += mermaid_text(note).size();
    }
    EXPECT_LT(size, 10'000U);
    EXPECT_NE(std::ranges::find(notes, "… and 993 parts, which tailrender diff prints"),
              notes.end());
}

TEST(Markdown, StaysBelowTheLimit) {
    for (const std::size_t count : {1U, 30U, 200U, 500U, 5000U}) {
        for (const std::size_t clusters : {1U, 3U, 100U}) {
            const std::string report = markdown_report(many(count / clusters + 1, clusters));
            EXPECT_LE(report.size(), kMarkdownLimit) << count << " in " << clusters;
        }
    }
}

TEST(Markdown, HasThePictureIfThereIsRoom) {
    struct Case {
        std::size_t devices, picture;
        bool wants_picture;
    };
    for (const Case& one : {Case{1, 10, true}, Case{30, 20'000, true}, Case{1, 20'001, false},
                            Case{5000, 10'000, false}, Case{5000, 60'000, false}}) {
        const std::string picture(one.picture, 'x');
        const std::string report = markdown_report(many(one.devices, 1), picture);
        EXPECT_LE(report.size(), kMarkdownLimit) << one.devices;
        EXPECT_EQ(report.find("### Picture\n\n" + picture) != std::string::npos, one.wants_picture)
            << one.devices << " with " << one.picture;
        EXPECT_EQ(report.find("`tailrender graph --format svg BASE HEAD > change.svg` draws it") !=
                      std::string::npos,
                  !one.wants_picture);
    }
}

TEST(Markdown, StaysBelowTheLimitWithAccess) {
    Comparison comparison = many(100, 1);
    comparison.access.emplace();
    for (int i = 0; i < 20'000; ++i) {
        access::Change change{.what = std::vector<std::string>(50, std::string(300, '`'))};
        for (int k = 0; k < 10; ++k) {
            change.who.push_back({.selector = {.text = fmt::format("group:{}-{}", i, k)}});
        }
        comparison.clusters.front().access.changes.push_back(std::move(change));
    }
    const std::string report = markdown_report(comparison);
    EXPECT_LE(report.size(), kMarkdownLimit);
    EXPECT_NE(report.find("### Who reaches what: 20000 gained, 0 lost"), std::string::npos);
    EXPECT_NE(report.find("that do not fit here"), std::string::npos);
    EXPECT_NE(report.find("### Devices: 100 added"), std::string::npos);
}

TEST(Markdown, CountsWhatDoesNotFit) {
    const std::string report = markdown_report(many(5000, 1));
    EXPECT_NE(report.find("PUBLIC: anyone on the internet will reach more through 5000 devices"),
              std::string::npos);
    EXPECT_NE(report.find("that do not fit here"), std::string::npos);
    EXPECT_NE(report.find("### Devices: 5000 added"), std::string::npos);
    EXPECT_NE(report.find("### Objects: 5000 differences"), std::string::npos);
}

TEST(Markdown, ClosesWhatItFolds) {
    const std::string report = markdown_report(many(40, 1));
    std::size_t open = 0;
    std::size_t closed = 0;
    for (auto at = report.find("details>"); at != std::string::npos;
         at = report.find("details>", at + 1)) {
        (report[at - 1] == '/' ? closed : open) += 1;
    }
    EXPECT_EQ(open, 1U);  // devices are new, so they are not folded
    EXPECT_EQ(closed, 1U);
    EXPECT_NE(report.find("<summary>15 more</summary>"), std::string::npos);
}

// Whatever else changes, and however long that is.
TEST(Markdown, NamesWhatIsNewOrLost) {
    Comparison comparison;
    ClusterComparison& cluster = comparison.clusters.emplace_back();
    for (std::size_t i = 0; i < 1200; ++i) {
        ObjectChange change;
        change.title = fmt::format("ClusterRoleBinding/{:05}", i);
        change.generated = i % 4 == 3;
        change.parent = change.generated ? fmt::format("Service/shop/{}", i % 100) : "";
        if (i % 4 == 0) {
            change.fields = {{"data.x", FieldEdit::Changed, std::string(300, 'a'), "b"}};
        } else {
            change.edit = i % 4 == 1 ? ObjectEdit::Added : ObjectEdit::Removed;
        }
        cluster.objects.changes.push_back(std::move(change));
    }
    const std::string report = markdown_report(comparison);
    EXPECT_LE(report.size(), kMarkdownLimit);
    for (const ObjectChange& change : cluster.objects.changes) {
        if (change.edit != ObjectEdit::Changed) {
            EXPECT_NE(report.find(change.title), std::string::npos) << change.title;
        }
    }
    EXPECT_EQ(report.find("new or lost"), std::string::npos);
}

TEST(Html, KeepsTextText) {
    constexpr std::string_view kScript = "</script><script>alert(1)</script>";
    constexpr std::string_view kImage = "\"><img src=x onerror=alert(1)>";
    Comparison comparison = many(2, 1);
    comparison.base = kImage;
    comparison.head = kScript;
    comparison.warnings = {std::string(kScript)};
    comparison.links = {{"ConfigMap/shop/00000", fmt::format("https://x/{}", kImage)},
                        {"ConfigMap/shop/00001", "javascript:alert(1)"}};
    ClusterComparison& cluster = comparison.clusters.front();
    cluster.cluster = kImage;
    cluster.objects.changes.front().fields = {
        {std::string(kImage), FieldEdit::Changed, std::string(kScript), std::string(kImage)}};
    access::Change change{.what = {std::string(kImage)}};
    change.who.push_back({.selector = {.text = std::string(kScript)}});
    cluster.access.changes.push_back(change);
    comparison.access.emplace();
    const std::string page = html_report(comparison, "");
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(page.find("\"javascript:"), std::string::npos);
    EXPECT_EQ(page.find("Picture of the change"), std::string::npos);
    EXPECT_NE(page.find("/script&#62;&#60;script"), std::string::npos);
    EXPECT_NE(html_report(comparison, "<svg></svg>").find("<svg></svg>"), std::string::npos);
}

TEST(Terminal, ColorsOnlyWhenAsked) {
    const Comparison comparison = many(1, 1);
    EXPECT_EQ(terminal_report(comparison, false).find('\x1b'), std::string::npos);
    EXPECT_EQ(terminal_report(comparison, true).find("\x1b[1;37;41mPUBLIC"), 0U);
}

TEST(Json, CanBeReadBack) {
    const std::string report = json_report(many(3, 2));
    Result<Value> root = read_json(report);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("clusters")->size(), 2U);
}

TEST(Outline, ShowsControlAndDirectionCharacters) {
    EXPECT_EQ(safe("\u0080\u009b31m\u009f\u061c\u200e\u200f\u2069"),
              "\\u0080\\u009b31m\\u009f\\u061c\\u200e\\u200f\\u2069");
    EXPECT_EQ(safe("\u00a0\u00e9\u2010\u20ac\U0001f600"), "\u00a0\u00e9\u2010\u20ac\U0001f600");
    EXPECT_EQ(safe("a\x1b[31m\n\u202e\u2066\x7f"), "a\\x1b[31m\\x0a\\u202e\\u2066\\x7f");
    EXPECT_EQ(safe("\x02\x03"), "\\x02\\x03");
    EXPECT_EQ(safe("ä → €"), "ä → €");
}

TEST(Outline, BoundsALine) {
    EXPECT_LT(safe(std::string(100'000, 'x')).size(), 600U);
}

}  // namespace
}  // namespace renderer::diff
