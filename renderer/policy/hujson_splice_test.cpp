#include "renderer/policy/hujson_splice.h"

#include <gtest/gtest.h>

namespace renderer::policy {
namespace {

// Adds entries to the value of "x", or to the root if there is none.
std::string spliced(const std::string& text, const std::vector<NewEntry>& entries) {
    SourceMap sources;
    Diagnostics diagnostics;
    const std::optional<Node> root = read_hujson(sources, sources.add("p", text), diagnostics);
    EXPECT_TRUE(root) << diagnostics.print(sources, false);
    const Node* x = root->find("x");
    HujsonSplice splice(text, *root);
    for (const NewEntry& entry : entries) {
        splice.add(x == nullptr ? *root : *x, entry);
    }
    std::string result = splice.result();
    EXPECT_TRUE(read_hujson(sources, sources.add("q", result), diagnostics))
        << diagnostics.print(sources, false);
    return result;
}

TEST(HujsonSplice, KeepsTheStyleOfTheText) {
    const NewEntry item{.value = "9"};
    const NewEntry member{.comment = "why", .key = "k", .value = "[9]"};
    const NewEntry section{.comment = "why", .key = "s", .entries = {member}};
    const NewEntry list{.key = "l", .entries = {{.value = "{}"}}, .is_list = true};
    struct Row {
        std::string text;
        std::vector<NewEntry> entries;
        std::string want;
    };
    const Row rows[] = {
        {R"({"x": []})", {item, item}, R"({"x": [9, 9]})"},
        {R"({"x": [1]})", {item}, R"({"x": [1, 9]})"},
        {R"({"x": [1,]})", {item}, R"({"x": [1, 9,]})"},
        {R"({"x": [1, /* a */]})", {item}, R"({"x": [1, 9, /* a */]})"},
        {R"({"x": [ /* a */ ]})", {item}, R"({"x": [ /* a */ 9]})"},
        {"{\"x\": [1, // a\n/* b */]}\n", {item}, "{\"x\": [1, 9, // a\n/* b */]}\n"},
        {R"({"x": {"a": 1}})", {member}, R"({"x": {"a": 1, "k": [9]}})"},
        {R"({"a": 1})", {section}, R"({"a": 1, "s": {"k": [9]}})"},
        {R"({"a": 1})", {list}, R"({"a": 1, "l": [{}]})"},
        {"{}", {section}, "{\n  \"s\": {\n    \"k\": [9]\n  }\n}"},
        {"{\n}\n", {list}, "{\n  \"l\": [\n    {}\n  ]\n}\n"},
        {"// c\n{\n}\n",
         {section},
         "// c\n{\n  // why\n  \"s\": {\n    // why\n    \"k\": [9],\n  },\n}\n"},
        {"{\n\t\"x\": {\n\t\t\"a\": 1 // b\n\t}\n}\n",
         {member, member},
         "{\n\t\"x\": {\n\t\t\"a\": 1, // b\n\t\t// why\n\t\t\"k\": [9],\n\t\t// why\n\t\t\"k\": "
         "[9]\n\t}\n}\n"},
        {"{\n    \"x\": {},\n}\n",
         {member},
         "{\n    \"x\": {\n        // why\n        \"k\": [9],\n    },\n}\n"},
        {"{\n    \"x\": {}\n}\n", {member}, "{\n    \"x\": {\n        \"k\": [9]\n    }\n}\n"},
        {"{\n  \"x\": {\n    // none\n  },\n}\n",
         {member},
         "{\n  \"x\": {\n    // none\n    // why\n    \"k\": [9],\n  },\n}\n"},
        {"{\r\n  \"x\": [\r\n    1,\r\n  ],\r\n}\r\n",
         {item},
         "{\r\n  \"x\": [\r\n    1,\r\n    9,\r\n  ],\r\n}\r\n"},
        {"{\n\"a\": 1\n}", {section}, "{\n\"a\": 1,\n\"s\": {\n  \"k\": [9]\n}\n}"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.text);
        // A key may be there twice in these texts.
        const bool has_twins = row.entries.size() > 1 && !row.entries.front().key.empty();
        std::vector<NewEntry> entries = row.entries;
        std::string want = row.want;
        if (has_twins) {
            entries.back().key = "k2";
            want.replace(want.rfind("\"k\""), 3, "\"k2\"");
        }
        EXPECT_EQ(spliced(row.text, entries), want);
    }
}

TEST(HujsonSplice, ACommentIsOneLine) {
    EXPECT_EQ(spliced("// c\n{\n}\n", {{.comment = "a\nb\r\u2028c", .key = "k", .value = "1"}}),
              "// c\n{\n  // a\n  // b\\r\\u2028c\n  \"k\": 1,\n}\n");
}

TEST(HujsonSplice, WritesAnEntryOnOneLine) {
    EXPECT_EQ(entry_text({.key = "a\"b", .value = json_list({"x", "y"})}), R"("a\"b": ["x", "y"])");
    EXPECT_EQ(entry_text({.key = "s", .entries = {{.key = "k", .value = "1"}}}),
              R"("s": {"k": 1})");
    EXPECT_EQ(entry_text({.entries = {{.value = "1"}, {.value = "2"}}, .is_list = true}), "[1, 2]");
}

}  // namespace
}  // namespace renderer::policy
