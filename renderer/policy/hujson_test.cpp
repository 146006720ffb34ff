#include "renderer/policy/hujson.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::policy {
namespace {

// Prints the tree with the bytes of each value: `{"a"@1-4: [1@6-7]@5-8}@0-9`.
std::string dump(const Node& node, std::string_view text) {
    std::string shown;
    if (node.is_list() || node.is_map()) {
        for (const Entry& entry : node.entries) {
            shown += (shown.empty() ? "" : " ") +
                     (node.is_map() ? dump(entry.key, text) + ":" : std::string()) +
                     dump(entry.value, text) + (entry.comma == std::string_view::npos ? "" : ",");
        }
        shown = node.is_list() ? "[" + shown + "]" : "{" + shown + "}";
    } else {
        shown = node.is_string() ? write_json(Value(node.text))
                                 : std::string(text.substr(node.begin, node.end - node.begin));
    }
    return shown + "@" + std::to_string(node.begin) + "-" + std::to_string(node.end);
}

std::string read(const std::string& text) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("p", text);
    const std::optional<Node> root = read_hujson(sources, source, diagnostics);
    EXPECT_NE(root.has_value(), diagnostics.has_errors());
    return root ? dump(*root, text) : diagnostics.print(sources, false);
}

TEST(Hujson, KeepsTheBytesOfEachValue) {
    const std::pair<std::string, std::string> rows[] = {
        {R"({"a":[1]})", R"({"a"@1-4:[1@6-7]@5-8}@0-9)"},
        {" null\n", "null@1-5"},
        {"[true, false,]", "[true@1-5, false@7-12,]@0-14"},
        {"{}", "{}@0-2"},
        {"// {\n[/* ] */]// end\n", "[]@5-14"},
        {"{\"a\"/**/:/**/1/**/,/**/}", "{\"a\"@1-4:1@13-14,}@0-24"},
        {R"("// \" /* A\/")", R"("// \" /* A/"@0-14)"},
        {R"("\ud83d\ude00")", "\"\xF0\x9F\x98\x80\"@0-14"},
        {"-1.5e+3", "-1.5e+3@0-7"},
        {"{\"a\": 1, \"A\": 2}", "{\"a\"@1-4:1@6-7, \"A\"@9-12:2@14-15}@0-16"},
        {"{\"\": 1}", "{\"\"@1-3:1@5-6}@0-7"},
        {"/* a *//* * / **/\r\n\t1", "1@20-21"},
    };
    for (const auto& [text, want] : rows) {
        SCOPED_TRACE(text);
        EXPECT_EQ(read(text), want);
    }
}

TEST(Hujson, RefusesWithThePlace) {
    struct Row {
        std::string text, want;
    };
    const Row rows[] = {
        {"",
         "p:1:1: error: unexpected text [hujson-syntax]\n"
         "    1 | \n      | ^\n"
         "  found: the end of the file\n  expected: a value\n"},
        {"{\n  \"a\": 1\n  \"b\": 2}",
         "p:3:3: error: unexpected text [hujson-syntax]\n"
         "    3 |   \"b\": 2}\n      |   ^\n"
         "  found: \"\"\"\n  expected: \",\" or \"}\"\n"},
        {"[1 2]",
         "p:1:4: error: unexpected text [hujson-syntax]\n"
         "    1 | [1 2]\n      |    ^\n"
         "  found: \"2\"\n  expected: \",\" or \"]\"\n"},
        {"[,]",
         "p:1:2: error: unexpected text [hujson-syntax]\n"
         "    1 | [,]\n      |  ^\n  found: \",\"\n  expected: a value\n"},
        {"{a: 1}",
         "p:1:2: error: unexpected text [hujson-syntax]\n"
         "    1 | {a: 1}\n      |  ^\n"
         "  found: \"a\"\n  expected: a key in double quotes, or \"}\"\n"},
        {"{\"a\" 1}",
         "p:1:6: error: unexpected text [hujson-syntax]\n"
         "    1 | {\"a\" 1}\n      |      ^\n"
         "  found: \"1\"\n  expected: \":\" after the key\n"},
        {"{\"a\": 'b'}",
         "p:1:7: error: unexpected text [hujson-syntax]\n"
         "    1 | {\"a\": 'b'}\n      |       ^\n"
         "  found: \"'\"\n  expected: a value\n"},
        {"[01]",
         "p:1:2: error: this is not JSON [hujson-syntax]\n"
         "    1 | [01]\n      |  ^\n  found: \"0\"\n  expected: a value\n"},
        {"[NaN]",
         "p:1:2: error: this is not JSON [hujson-syntax]\n"
         "    1 | [NaN]\n      |  ^\n  found: \"N\"\n  expected: a value\n"},
        {R"(["\x"])",
         "p:1:2: error: this is not JSON [hujson-syntax]\n"
         "    1 | [\"\\x\"]\n      |  ^\n  found: \"\"\"\n  expected: a value\n"},
        {"[\"a\nb\"]",
         "p:1:2: error: this is not JSON [hujson-syntax]\n"
         "    1 | [\"a\n      |  ^\n  found: \"\"\"\n  expected: a value\n"},
        {"{\"\\ud800\": 1}",
         "p:1:2: error: this is not JSON [hujson-syntax]\n"
         "    1 | {\"\\ud800\": 1}\n      |  ^\n"
         "  found: \"\"\"\n  expected: a key in double quotes\n"},
        {"[\"a]",
         "p:1:2: error: a string does not end [hujson-syntax]\n"
         "    1 | [\"a]\n      |  ^\n  found: \"\"\"\n  expected: a closing quote\n"},
        {"{} // end",
         "p:1:4: error: a comment does not end [hujson-syntax]\n"
         "    1 | {} // end\n      |    ^\n  expected: a line break after it\n"},
        {"/* {}",
         "p:1:1: error: a comment does not end [hujson-syntax]\n"
         "    1 | /* {}\n      | ^\n  expected: \"*/\"\n"},
        {"{} {}",
         "p:1:4: error: text after the end of the policy [hujson-syntax]\n"
         "    1 | {} {}\n      |    ^\n  found: \"{\"\n  expected: one value\n"},
        {"[1, # c\n]",
         "p:1:5: error: unexpected text [hujson-syntax]\n"
         "    1 | [1, # c\n      |     ^\n  found: \"#\"\n  expected: a value\n"},
        {"{\"a\": 1,\n \"\\u0061\": 2}",
         "p:2:2: error: duplicate key \"a\" [duplicate-key]\n"
         "    2 |  \"\\u0061\": 2}\n      |  ^\n"
         "  found: a second \"a\"\n  expected: each key once\n"
         "p:1:2: note: the first one is here\n"},
        {"[\"\xFF\"]",
         "p:1:3: error: text is not UTF-8 [bad-utf8]\n"
         "    1 | [\"?\"]\n      |   ^\n"
         "  found: byte 0xff\n  expected: UTF-8 text\n"},
        {"\xEF\xBB\xBF{}",
         "p:1:1: error: unexpected text [hujson-syntax]\n"
         "    1 |  {}\n      | ^\n"
         "  found: \"\\ufeff\"\n  expected: a value\n"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(read(row.text), row.want);
    }
}

TEST(Hujson, LimitsTheDepth) {
    const auto nested = [](int levels) {
        return std::string(static_cast<std::size_t>(levels), '[') +
               std::string(static_cast<std::size_t>(levels), ']');
    };
    EXPECT_EQ(read(nested(kMaxDepth)).find("error"), std::string::npos);
    EXPECT_NE(read(nested(kMaxDepth + 1))
                  .find("p:1:101: error: nested deeper than 100 levels [hujson-nesting]"),
              std::string::npos);
    EXPECT_NE(read(std::string(1'000'000, '[')).find("[hujson-nesting]"), std::string::npos);
}

TEST(Hujson, FindsAKey) {
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string text = R"({"a": 1, "b": [2]})";
    const auto root = read_hujson(sources, sources.add("p", text), diagnostics);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("b")->begin, 14U);
    EXPECT_EQ(root->find("c"), nullptr);
    EXPECT_EQ(root->find("b")->find("b"), nullptr);
    EXPECT_EQ(kind_name(*root), "an object");
}

}  // namespace
}  // namespace renderer::policy
