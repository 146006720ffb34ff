#include "renderer/cli/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace renderer::cli {
namespace {

TEST(Report, AlignsDevicesAndShowsWhatIsPublic) {
    SourceMap sources;
    const SourceId source = sources.add("apps/web.yaml", "a\nb\nc\n");
    plan::Plan plan;
    plan.devices.push_back(
        {"shop-web", "Service", "tag:k8s", "shop/web", false, sources.pos(source, 0)});
    plan.devices.push_back(
        {"münchen", "Ingress", "tag:a,tag:b", "shop/a, shop/b", true, sources.pos(source, 4)});
    plan.devices.push_back(
        {"nas", "Connector", "tag:k8s", "exit node", false, sources.pos(source, 2), "partner"});
    EXPECT_EQ(
        device_table(plan, sources, false, false),
        "HOSTNAME  KIND       TAGS         TAILNET  TARGET          EXPOSED  SOURCE\n"
        "shop-web  Service    tag:k8s               shop/web                 apps/web.yaml:1\n"
        "münchen   Ingress    tag:a,tag:b           shop/a, shop/b  PUBLIC   apps/web.yaml:3\n"
        "nas       Connector  tag:k8s      partner  exit node                apps/web.yaml:2\n"
        "PUBLIC: anyone on the internet can reach 1 device: münchen\n");
    const std::string colored = device_table(plan, sources, true, false);
    EXPECT_NE(colored.find("\033[1;37;41mPUBLIC\033[0m"), std::string::npos);
    EXPECT_NE(colored.find("\033[1mHOSTNAME\033[0m  "), std::string::npos);
}

TEST(Report, ListsDevicesOfAllClusters) {
    std::deque<renderer::Run> runs(2);
    EXPECT_EQ(device_list(runs, false), "no devices\n");
    for (renderer::Run& run : runs) {
        const SourceId source = run.loaded.sources.add("a.yaml", "a\n");
        run.loaded.cluster = &run == &runs.front() ? "home" : "lab";
        run.plan.devices.push_back({"web", "Service", "tag:k8s", "shop/web", &run == &runs.back(),
                                    run.loaded.sources.pos(source, 0)});
    }
    EXPECT_EQ(device_list(runs, false),
              "CLUSTER  HOSTNAME  KIND     TAGS     TARGET    EXPOSED  SOURCE\n"
              "home     web       Service  tag:k8s  shop/web           a.yaml:1\n"
              "lab      web       Service  tag:k8s  shop/web  PUBLIC   a.yaml:1\n");
    runs.pop_back();
    EXPECT_EQ(device_list(runs, false),
              "HOSTNAME  KIND     TAGS     TARGET    SOURCE\n"
              "web       Service  tag:k8s  shop/web  a.yaml:1\n");
}

TEST(Report, HasNoColumnForWhatDoesNotOccur) {
    SourceMap sources;
    const SourceId source = sources.add("a.yaml", "a\n");
    plan::Plan plan;
    EXPECT_EQ(device_table(plan, sources, false, false), "no devices\n");
    plan.devices.push_back(
        {"web", "Service", "tag:k8s", "shop/web", false, sources.pos(source, 0)});
    EXPECT_EQ(device_table(plan, sources, false, false),
              "HOSTNAME  KIND     TAGS     TARGET    SOURCE\n"
              "web       Service  tag:k8s  shop/web  a.yaml:1\n");
}

TEST(Report, ShortensSourcesToTheWidthOfTheTerminal) {
    SourceMap sources;
    const SourceId file = sources.add("clusters/home/apps/größe/web.yaml", "kind: Service\n");
    plan::Plan plan;
    plan.devices.push_back({"web", "Service", "tag:k8s", "shop/web", false, sources.pos(file, 0)});
    EXPECT_EQ(device_table(plan, sources, false, false, 62),
              "HOSTNAME  KIND     TAGS     TARGET    SOURCE\n"
              "web       Service  tag:k8s  shop/web  …e/apps/größe/web.yaml:1\n");
    EXPECT_EQ(device_table(plan, sources, false, false, 20),
              "HOSTNAME  KIND     TAGS     TARGET    SOURCE\n"
              "web       Service  tag:k8s  shop/web  …/web.yaml:1\n");
    EXPECT_EQ(device_table(plan, sources, false, false, 200),
              device_table(plan, sources, false, false));
}

TEST(Report, CountsObjectsDocumentsAndSkippedFiles) {
    load::Loaded loaded;
    loaded.skipped_files = 2;
    loaded.documents.resize(3);
    loaded.documents[0].kind = "Service";
    loaded.documents[1].kind = "ConfigMap";
    loaded.documents[1].reachable = false;
    plan::Plan plan;
    plan.edits.resize(1);
    plan.summary.emplace_back("not rendered: traefik (chart traefik)");
    EXPECT_EQ(totals(loaded, plan, generate::Objects(1)),
              "1 object generated; 1 document read, 1 edit in them\n"
              "skipped 2 files without Kubernetes documents\n"
              "not rendered: traefik (chart traefik)\n");
}

TEST(Report, NamesFetchedChartsByTheirDigest) {
    load::Loaded loaded;
    loaded.fetched_charts = {{"web", "1.2.0", "https://charts.example", "0a1b"}};
    EXPECT_EQ(totals(loaded, {}, {}),
              "0 objects generated\n"
              "fetched web 1.2.0 from https://charts.example (sha256:0a1b)\n");
}

plan::Plan many_devices(std::size_t count) {
    plan::Plan plan;
    for (std::size_t i = 0; i < count; ++i) {
        plan.devices.push_back({fmt::format("d{:04}", i), "Service", "tag:k8s", "a/b", false, {}});
    }
    return plan;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Report, CountsEqualErrorsFromTheFourthOn) {
    std::vector<ShownDiagnostic> blocks;
    const auto add = [&](Severity severity, const char* message, std::size_t place) {
        ShownDiagnostic& shown = blocks.emplace_back();
        shown.said = {.severity = severity, .rule = "r", .message = message};
        shown.text = fmt::format("{}: {}\n", place, message);
    };
    for (std::size_t i = 0; i < 4; ++i) {
        add(Severity::Error, "a", i);
    }
    for (std::size_t i = 4; i < 7; ++i) {
        add(Severity::Error, "b", i);
        add(Severity::Warning, "a", i);
    }
    add(Severity::Error, "a", 7);
    const std::string want = "4: b\n4: a\n5: b\n5: a\n6: b\n6: a\n";
    EXPECT_EQ(diagnostics_text(blocks, false),
              "0: a\n1: a\n2: a\n… and 2 more like this [r]; --all shows them\n" + want);
    EXPECT_EQ(diagnostics_text(blocks, true), "0: a\n1: a\n2: a\n3: a\n" + want + "7: a\n");
}

TEST(Report, CountsDevicesThatNoScreenHolds) {
    const SourceMap sources;
    EXPECT_EQ(lines_of(device_table(many_devices(40), sources, false, false)), 41U);
    plan::Plan plan = many_devices(2500);
    const std::string text = device_table(plan, sources, false, false);
    EXPECT_EQ(lines_of(text), 42U);
    EXPECT_TRUE(
        text.ends_with("d0039     Service  tag:k8s  a/b\n"
                       "… and 2,460 more; --all shows them\n"))
        << text;
    EXPECT_EQ(lines_of(device_table(plan, sources, false, true)), 2501U);
    plan.devices[2000].is_public = true;
    const std::string exposed = device_table(plan, sources, false, false);
    EXPECT_TRUE(
        exposed.ends_with("d0038     Service  tag:k8s  a/b\n"
                          "d2000     Service  tag:k8s  a/b     PUBLIC\n"
                          "… and 2,460 more; --all shows them\n"
                          "PUBLIC: anyone on the internet can reach 1 device: d2000\n"))
        << exposed;
    for (plan::DeviceRow& device : plan.devices) {
        device.is_public = true;
    }
    EXPECT_EQ(lines_of(device_table(plan, sources, false, false)), 2502U);
}

std::vector<std::string> paths(std::size_t count) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(fmt::format("{:04}", i));
    }
    return result;
}

TEST(Report, ListsWhatWasWritten) {
    const emit::WriteReport few = {
        .created = {"a.yaml"}, .changed = paths(38), .removed = {"z.yaml"}, .unchanged = 7};
    EXPECT_EQ(gone_summary("out/lab", {.created = {}, .changed = {}, .removed = {"a"}}, false),
              "out/lab: 1 removed, the cluster is no longer in .tailrender.yaml\n  removed  a\n");
    const std::string text = write_summary("out/home", few, false);
    EXPECT_EQ(text, write_summary("out/home", few, true));
    EXPECT_EQ(lines_of(text), 41U);
    EXPECT_TRUE(
        text.starts_with("out/home: 1 created, 38 changed, 1 removed, 7 unchanged\n"
                         "  created  a.yaml\n"
                         "  changed  0000\n"))
        << text;
    EXPECT_TRUE(
        text.ends_with("  changed  0037\n"
                       "  removed  z.yaml\n"))
        << text;
}

TEST(Report, CountsFilesThatNoScreenHolds) {
    const emit::WriteReport many = {
        .created = paths(4), .changed = paths(1'234'567), .removed = paths(50)};
    const std::string text = write_summary("out", many, false);
    EXPECT_EQ(lines_of(text), 43U);
    EXPECT_NE(text.find("  created  0003\n"
                        "  changed  0000\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  changed  0017\n"
                        "  changed  … and 1,234,549 more; --all shows them\n"
                        "  removed  0000\n"),
              std::string::npos)
        << text;
    EXPECT_TRUE(
        text.ends_with("  removed  0017\n"
                       "  removed  … and 32 more; --all shows them\n"))
        << text;
    EXPECT_EQ(lines_of(write_summary("out", many, true)), 1U + 4 + 1'234'567 + 50);
    const emit::WriteReport last = {.created = {}, .changed = {}, .removed = paths(41)};
    const std::string gone = gone_summary("out", last, false);
    EXPECT_TRUE(gone.ends_with("  removed  0039\n  removed  … and 1 more; --all shows them\n"))
        << gone;
    EXPECT_EQ(lines_of(gone_summary("out", last, true)), 42U);
}

}  // namespace
}  // namespace renderer::cli
