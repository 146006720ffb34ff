#include "renderer/policy/additions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "renderer/core/json.h"

namespace renderer::policy {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t count) {
    return random() % count;
}

bool chance(Random& random, std::size_t percent) {
    return below(random, 100) < percent;
}

// Writes policies in random styles: on one line or several, with tabs or blanks, with comments and
// trailing commas or as plain JSON, with either line end.
class PolicyWriter {
public:
    explicit PolicyWriter(Random& random)
        : random_(random),
          is_json_(chance(random, 20)),
          is_one_line_(chance(random, 15)),
          trailing_(below(random, 3) * 50),
          unit_(std::vector<std::string>{"  ", "    ", "\t", ""}[below(random, 4)]),
          line_end_(chance(random, 20) ? "\r\n" : "\n") {}

    std::string policy() {
        std::vector<std::string> sections;
        add(sections, "tagOwners", [&] { return lists(2, {"tag:a", "tag:b", "tag:c", "tag:d"}); });
        add(sections, "autoApprovers", [&] { return approvers(); });
        add(sections, "nodeAttrs", [&] { return attributes(); });
        add(sections, "acls",
            [&] { return inline_list({R"({"action": "accept", "src": ["*"], "dst": ["*:*"]})"}); });
        add(sections, "hosts",
            [&] { return std::string(R"({"a//b": "100.64.0.1", "{": "::1"})"); });
        std::shuffle(sections.begin(), sections.end(), random_);
        return space() + container('{', '}', sections, 0) + (is_one_line_ ? "" : line_end_);
    }

private:
    template <typename Make>
    void add(std::vector<std::string>& entries, const std::string& key, const Make& make) {
        if (chance(random_, 70)) {
            entries.push_back(fmt::format("\"{}\":{}{}", key, space(), make()));
        }
    }

    std::string space() {
        if (is_json_ || chance(random_, 70)) {
            return chance(random_, 80) ? " " : "";
        }
        return is_one_line_ || chance(random_, 50) ? " /* { , ] */ "
                                                   : fmt::format(" // }} \" ,{}", line_end_);
    }

    std::string container(char open, char close, const std::vector<std::string>& entries,
                          int depth) {
        const bool has_lines = !is_one_line_ && chance(random_, depth == 0 ? 95 : 60);
        std::string indent;
        for (int i = 0; i <= depth && has_lines; ++i) {
            indent += unit_;
        }
        std::string text(1, open);
        for (const std::string& entry : entries) {
            const bool has_comma =
                &entry != &entries.back() || (!is_json_ && chance(random_, trailing_));
            text += has_lines ? line_end_ + indent : "";
            text += entry + space() + (has_comma ? "," : "") + space();
        }
        text += entries.empty() ? space() : "";
        text += has_lines ? line_end_ + indent.substr(0, indent.size() - unit_.size()) : "";
        return text + close;
    }

    std::string inline_list(const std::vector<std::string>& items) {
        return container('[', ']', items, 2);
    }

    std::string tags() {
        std::vector<std::string> items;
        for (const std::string tag : {"tag:a", "tag:b", "tag:c", "group:x"}) {
            if (chance(random_, 25)) {
                items.push_back(json_string(tag));
            }
        }
        return inline_list(items);
    }

    std::string lists(int depth, const std::vector<std::string>& keys) {
        std::vector<std::string> entries;
        for (const std::string& key : keys) {
            add(entries, key, [&] { return tags(); });
        }
        return container('{', '}', entries, depth);
    }

    std::string approvers() {
        std::vector<std::string> entries;
        add(entries, "routes", [&] { return lists(2, {"10.0.0.0/8", "10.1.0.0/16", "::/0"}); });
        add(entries, "exitNode", [&] { return tags(); });
        add(entries, "services", [&] { return lists(2, {"svc:s", "svc:t", "tag:d"}); });
        return container('{', '}', entries, 1);
    }

    std::string attributes() {
        std::vector<std::string> entries;
        for (const std::string attr : {"funnel", "other"}) {
            if (chance(random_, 40)) {
                entries.push_back(fmt::format(R"({{"target": {}, "attr": ["{}"]}})", tags(), attr));
            }
        }
        return container('[', ']', entries, 1);
    }

    Random& random_;
    bool is_json_, is_one_line_;
    std::size_t trailing_;  // percent of containers with a trailing comma
    std::string unit_, line_end_;
};

Needs random_needs(Random& random) {
    const auto some = [&]() -> std::vector<std::string> {
        return chance(random, 50) ? std::vector<std::string>{"tag:a"}
                                  : std::vector<std::string>{"tag:b", "tag:d"};
    };
    const Need all[] = {
        {.name = "tag:a", .tags = {"tag:c"}, .reasons = {{"a.yaml:1", "X/y/z"}}},
        {.name = "tag:b", .tags = {"tag:c"}},
        {.name = "tag:c", .tags = {}},
        {.name = "tag:d", .tags = {"tag:c", "tag:e"}},
        {.name = "tag:e", .tags = {}},
        {.kind = NeedKind::Route, .name = "10.1.0.0/16", .tags = some()},
        {.kind = NeedKind::Route, .name = "fd00::/8", .tags = some()},
        {.kind = NeedKind::ExitNode, .name = "", .tags = some()},
        {.kind = NeedKind::Service, .name = "svc:s", .tags = some(), .service_tags = {"tag:d"}},
        {.kind = NeedKind::Funnel, .name = "", .tags = some()}};
    Needs needs;
    needs.client_tags = {"tag:c"};
    needs.device_tags = {"tag:a", "tag:b"};
    for (const Need& need : all) {
        if (chance(random, 70)) {
            needs.all.push_back(need);
        }
    }
    return needs;
}

// A policy that was read.
struct ReadPolicy {
    explicit ReadPolicy(const std::string& text, const Needs& needs) {
        const SourceId source = sources.add("p", text);
        root = read_hujson(sources, source, diagnostics);
        if (root) {
            sections = find_sections(*root, sources, source, diagnostics);
        }
        if (sections) {
            missing = missing_needs(*sections, needs);
            report_missing(*sections, missing, sources, source, Places::OfPolicy, diagnostics);
        }
    }

    SourceMap sources;
    Diagnostics diagnostics;
    std::optional<Node> root;
    std::optional<Sections> sections;
    std::vector<const Need*> missing;
};

// True if `whole` is `part` with bytes inserted.
bool is_within(std::string_view part, std::string_view whole) {
    std::size_t at = 0;
    for (const char c : whole) {
        at += at < part.size() && part[at] == c ? 1U : 0U;
    }
    return at == part.size();
}

TEST(PolicyAdditions, MeetEveryNeedAndChangeNoByte) {
    Random random(7);  // NOLINT(bugprone-random-generator-seed): the same policies each time
    std::size_t changed = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = PolicyWriter(random).policy();
        const Needs needs = random_needs(random);
        SCOPED_TRACE(text);
        const ReadPolicy before(text, needs);
        ASSERT_TRUE(before.sections) << before.diagnostics.print(before.sources, false);
        EXPECT_EQ(before.diagnostics.error_count(), before.missing.size());
        const std::string merged =
            add_missing(text, *before.sections, before.missing, Comments::Objects);
        EXPECT_TRUE(is_within(text, merged)) << merged;
        EXPECT_EQ(merged == text, before.missing.empty());
        EXPECT_TRUE(!read_json(text) || read_json(merged)) << merged;
        const ReadPolicy after(merged, needs);
        ASSERT_FALSE(after.diagnostics.has_errors())
            << merged << after.diagnostics.print(after.sources, false);
        EXPECT_EQ(add_missing(merged, *after.sections, after.missing, Comments::Objects), merged);
        changed += merged == text ? 0 : 1;
    }
    EXPECT_GT(changed, 2000U);
}

TEST(PolicyAdditions, PrintedPolicyHasNothingMissing) {
    Random random(8);  // NOLINT(bugprone-random-generator-seed): the same needs each time
    for (int i = 0; i < 200; ++i) {
        const Needs needs = random_needs(random);
        const std::string text = print_policy(needs, {"an example\nof two lines"});
        const ReadPolicy read(text, needs);
        EXPECT_TRUE(read.root && read.missing.empty()) << text;
    }
}

}  // namespace
}  // namespace renderer::policy
