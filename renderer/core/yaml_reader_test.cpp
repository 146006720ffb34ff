#include "renderer/core/yaml_reader.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer {
namespace {

std::string read_as_json(const std::string& text) {
    SourceMap sources;
    Diagnostics diagnostics;
    const Value value = read_yaml(sources, sources.add("in.yaml", text), diagnostics);
    return diagnostics.empty() ? write_json(value) : diagnostics.print(sources, false);
}

TEST(YamlReader, ResolvesPlainScalarsAsKubernetesDoes) {
    const struct {
        const char* text;
        const char* want;
    } rows[] = {{"y", "true"},
                {"Off", "false"},
                {"yEs", "\"yEs\""},
                {"~", "null"},
                {"", "null"},
                {"12", "12"},
                {"1.50", "1.50"},
                {"12:30", "\"12:30\""},
                {"2001-01-01", "\"2001-01-01\""},
                {"1e3", "1e3"},
                {"0644", "420"},
                {"1_000", "1000"},
                {"0x1f", "31"},
                {"_1", "\"_1\""},
                {"1.2.3", "\"1.2.3\""},
                {"-", "[null]"},
                {"'yes'", "\"yes\""},
                {"\"12\"", "\"12\""},
                {"!!str 5", "\"5\""},
                {"!!int \"5\"", "5"},
                {"\"\\N\\_\\u00e9\"", "\"\xC2\x85\xC2\xA0\xC3\xA9\""},
                {"v1.96.5", "\"v1.96.5\""}};
    for (const auto& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(read_as_json(row.text), row.want);
    }
}

TEST(YamlReader, ExpandsAliasesAndMergeKeys) {
    EXPECT_EQ(
        read_as_json("a: &x {p: 1, q: 2}\nb: *x\nc: {<<: *x, q: 3}\nd: {<<: [*x, {r: 4, p: 9}]}\n"),
        R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2},"c":{"q":3,"p":1},"d":{"p":1,"q":2,"r":4}})");
    EXPECT_EQ(read_as_json("\"<<\": 1\n"), R"({"\u003c\u003c":1})");
}

TEST(YamlReader, KeysAreStrings) {
    EXPECT_EQ(read_as_json("80: a\non: b\n~: c\n"), R"({"80":"a","true":"b","null":"c"})");
}

TEST(YamlReader, KnowsWhereEverythingStands) {
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string text =
        "\xEF\xBB\xBF"
        "a: 1\r\nspec:\r\n  - name: web\r\n";
    const SourceId source = sources.add("in.yaml", text);
    const Value value = read_yaml(sources, source, diagnostics);
    EXPECT_EQ(sources.describe(value.find("a")->pos()), "in.yaml:1:7");
    EXPECT_EQ(sources.describe(value.find("spec")->items()[0].find("name")->pos()), "in.yaml:3:11");
    EXPECT_EQ(sources.describe(value.find_member("spec")->key.pos()), "in.yaml:2:1");
}

TEST(YamlReader, RefusesWithPlaceAndRemedy) {
    const struct {
        const char* name;
        std::string text;
        const char* want;
    } rows[] = {
        {"duplicate", "a: 1\nb: 2\na: 3\n",
         "in.yaml:3:1: error: key \"a\" stands twice in one map [duplicate-key]\n"
         "    3 | a: 3\n"
         "      | ^\n"
         "  found: a second \"a\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one counts\n"
         "in.yaml:1:1: note: the first one is here\n"},
        {"recursive", "a: &x [*x]\n",
         "in.yaml:1:8: error: alias stands inside the node that it names [yaml-alias]\n"
         "    1 | a: &x [*x]\n"
         "      |        ^\n"
         "  expected: an alias behind the end of its anchor's node\n"
         "  hint: remove the alias: a value cannot contain itself\n"
         "in.yaml:1:4: note: the anchor is here\n"},
        {"tab", "a:\n\tb: 1\n",
         "in.yaml:2:1: error: tab in the indentation [tab-indentation]\n"
         "    2 | \tb: 1\n"
         "      | ^\n"
         "  found: a tab\n"
         "  expected: blanks\n"
         "  hint: YAML indents with blanks only\n"},
        {"utf8", "a: \xff\n",
         "in.yaml:1:4: error: text is not UTF-8 [bad-utf8]\n"
         "    1 | a: ?\n"
         "      |    ^\n"
         "  found: byte 0xff\n"
         "  expected: UTF-8 text\n"
         "  hint: save the file as UTF-8; put binary data in base64\n"},
        {"control", "a: \x01\n",
         "in.yaml:1:4: error: control character in the text [yaml-character]\n"
         "    1 | a:  \n"
         "      |    ^\n"
         "  found: byte 0x01\n"
         "  expected: printable characters, blanks, tabs and line ends\n"
         "  hint: write it as an escape in double quotes; put binary data in base64\n"},
        {"anchor", "a: *x\n",
         "in.yaml:1:4: error: alias names an anchor that is not defined before it [yaml-syntax]\n"
         "    1 | a: *x\n"
         "      |    ^\n"
         "  expected: an anchor of that name above\n"
         "  hint: anchors do not reach over the \"---\" between documents\n"},
        {"merge", "a: {<<: 5}\n",
         "in.yaml:1:5: error: merge key \"<<\" has a number as its value [yaml-merge]\n"
         "    1 | a: {<<: 5}\n"
         "      |     ^\n"
         "  expected: a map or a list of maps\n"
         "  hint: name an anchor of a map: \"<<: *base\"\n"},
        {"tag", "a: !Ref x\n",
         "in.yaml:1:4: error: tag \"!Ref\" does not fit here [yaml-tag]\n"
         "    1 | a: !Ref x\n"
         "      |    ^\n"
         "  expected: plain YAML: maps, lists, strings, numbers, booleans and null\n"
         "  hint: remove the tag; Kubernetes objects need none\n"},
        {"key", "? [a]\n: b\n",
         "in.yaml:1:3: error: a list stands where a key is expected [yaml-key]\n"
         "    1 | ? [a]\n"
         "      |   ^\n"
         "  expected: a string\n"
         "  hint: quote the key, or put a blank behind its colon\n"},
        {"two", "a: 1\n---\nb: 2\n",
         "in.yaml:1:1: error: more than one document where one is expected [yaml-syntax]\n"
         "    1 | a: 1\n"
         "      | ^\n"
         "  hint: separate documents with a line \"---\"\n"},
        {"surrogate", "a: \"\\ud800\"\n", nullptr},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        if (row.want == nullptr) {
            EXPECT_NE(read_as_json(row.text).find("error:"), std::string::npos);
        } else {
            EXPECT_EQ(read_as_json(row.text), row.want);
        }
    }
}

TEST(YamlReader, BoundsDepthAndAliases) {
    const std::string deep = std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']');
    EXPECT_NE(read_as_json(deep).find("nested deeper than 100 levels [yaml-nesting]"),
              std::string::npos);
    std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'h'; ++c) {
        bomb += std::string(1, c) + ": &" + c + " [";
        for (int i = 0; i < 10; ++i) {
            bomb += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
        }
        bomb += "]\n";
    }
    EXPECT_NE(read_as_json(bomb).find("aliases expand to more than 100000 nodes [yaml-alias]"),
              std::string::npos);
}

}  // namespace
}  // namespace renderer
