#include "renderer/core/diagnostics.h"

#include <gtest/gtest.h>

namespace renderer::inline core {
namespace {

TEST(Diagnostics, PrintsSortedWithoutDuplicates) {
    SourceMap sources;
    const SourceId source = sources.add("apps/web.yaml", "name: web\n\tscale: { replica: 3 }\n");
    Diagnostics diagnostics;
    const Diagnostic second{.rule = "unknown-key",
                            .pos = sources.pos(source, 20),
                            .object = "Service/shop/web",
                            .message = "unknown key \"replica\"",
                            .found = "replica",
                            .expected = "one of { max, replicas }",
                            .hint = "did you mean \"replicas\"?",
                            .notes = {{.pos = sources.pos(source, 0),
                                       .object = "Service/shop/api",
                                       .text = "declared here"}}};
    diagnostics.add(second);
    diagnostics.add({.severity = Severity::Warning,
                     .rule = "w",
                     .pos = sources.pos(source, 6),
                     .message = "first"});
    diagnostics.add(second);
    diagnostics.add({.rule = "usage", .where = "--cluster", .message = "no such cluster"});
    EXPECT_EQ(diagnostics.print(sources, false),
              "--cluster: error: no such cluster [usage]\n"
              "apps/web.yaml:1:7: warning: first [w]\n"
              "    1 | name: web\n"
              "      |       ^\n"
              "apps/web.yaml:2:11: error: Service/shop/web: unknown key \"replica\" [unknown-key]\n"
              "    2 | \tscale: { replica: 3 }\n"
              "      | \t         ^\n"
              "  found: replica\n"
              "  expected: one of { max, replicas }\n"
              "  hint: did you mean \"replicas\"?\n"
              "apps/web.yaml:1:1: note: Service/shop/api: declared here\n");
    EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Diagnostics, HidesLinesThatMayHoldCredentials) {
    SourceMap sources;
    const SourceId source = sources.add("v.yaml", "secret: hunter2\n");
    Diagnostics diagnostics;
    diagnostics.add(
        {.rule = "r", .pos = sources.pos(source, 8), .message = "m", .hide_text = true});
    EXPECT_EQ(diagnostics.print(sources, false), "v.yaml:1:9: error: m [r]\n");
}

TEST(Diagnostics, CutsLongLinesAroundThePlace) {
    SourceMap sources;
    const SourceId source =
        sources.add("v.yaml", std::string(500, 'a') + "X" + std::string(500, 'b'));
    Diagnostics diagnostics;
    diagnostics.add({.rule = "r", .pos = sources.pos(source, 500), .message = "m"});
    const std::string text = diagnostics.print(sources, false);
    const std::size_t line = text.find(" | ");
    const std::size_t caret_line = text.find("      | ");
    EXPECT_EQ(text.find('X') - line, text.find('^') - caret_line - 5);
    EXPECT_LT(text.size(), 300U);
}

TEST(Diagnostics, ColorsOnlyWhenAsked) {
    SourceMap sources;
    Diagnostics diagnostics;
    diagnostics.add({.rule = "r", .where = "--x", .message = "m"});
    EXPECT_EQ(diagnostics.print(sources, true), "\x1b[1m--x: \x1b[1;31merror:\x1b[0m m [r]\n");
}

TEST(Diagnostics, SuggestsTheNearestWord) {
    const std::vector<std::string_view> words = {"namespace", "clusterDomain", "secrets"};
    EXPECT_EQ(nearest("clusterdomain", words), "clusterDomain");
    EXPECT_EQ(nearest("namespce", words), "namespace");
    EXPECT_EQ(nearest("replicas", words), "");
    EXPECT_EQ(nearest("cluster", words), "");
    EXPECT_EQ(nearest_key("cluster", words), "clusterDomain");
    EXPECT_EQ(nearest_key("clu", words), "");
}

}  // namespace
}  // namespace renderer::inline core
