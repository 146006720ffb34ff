#include "renderer/core/yaml_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::inline core {
namespace {

std::string read_as_json(const std::string& text) {
    SourceMap sources;
    Diagnostics diagnostics;
    const Value value = read_yaml(sources, sources.add("in.yaml", text), diagnostics);
    return diagnostics.empty() ? write_json(value) : diagnostics.print(sources, false);
}

// The expected values are those of `helm template`.
TEST(YamlReader, ReadsValuesAsHelmDoes) {
    const struct {
        const char* text;
        const char* want;
        std::size_t warnings;
    } rows[] = {
        {"a: {x: 1}\na: {z: 2}\n", "{\"a\":{\"z\":2}}", 1},
        {"a: 1\nb: {c: 2, c: 3}\na: 4\na: 5\n", "{\"b\":{\"c\":3},\"a\":5}", 3},
        {"1: a\n\"1\": b\n", "{\"1\":\"b\"}", 1},
        {"a: 1\n---\na: 2\n", "{\"a\":1}", 1},
        {"a: 1\n---\n", "{\"a\":1}", 0},
        {"b: &b {m: 1}\na:\n  m: 5\n  <<: *b\n", "{\"b\":{\"m\":1},\"a\":{\"m\":1}}", 0},
        {"b: &b {m: 1}\na:\n  <<: *b\n  m: 5\n", "{\"b\":{\"m\":1},\"a\":{\"m\":5}}", 0},
        {"x: [&b {m: 1}, &c {m: 2}]\na:\n  <<: [*b, *c]\n",
         "{\"x\":[{\"m\":1},{\"m\":2}],\"a\":{\"m\":1}}", 0},
        {"x: [&b {m: 1}, &c {m: 2}]\na:\n  <<: *b\n  <<: *c\n",
         "{\"x\":[{\"m\":1},{\"m\":2}],\"a\":{\"m\":2}}", 1},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.text);
        SourceMap sources;
        Diagnostics diagnostics;
        const SourceId source = sources.add("in.yaml", row.text);
        const Value value = read_yaml(sources, source, diagnostics, Repeated::AsHelm);
        EXPECT_EQ(write_json(value), row.want);
        EXPECT_EQ(diagnostics.all().size(), row.warnings);
        EXPECT_FALSE(diagnostics.has_errors());
    }
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

TEST(YamlReader, MergesWithAnExplicitTag) {
    EXPECT_EQ(read_as_json("a: &x {p: 1, q: 2}\nb:\n  !!merge <<: *x\n  q: 3\n"),
              R"({"a":{"p":1,"q":2},"b":{"q":3,"p":1}})");
    EXPECT_EQ(read_as_json("a: &x {p: 1}\nb: {!!merge \"<<\": *x}\n"),
              R"({"a":{"p":1},"b":{"p":1}})");
}

// As read by go.yaml.in/yaml v2 and v3.
TEST(YamlReader, AnAliasThatIsAKeyEndsAtTheColon) {
    const struct {
        const char* text;
        const char* want;
    } rows[] = {{"a: &x app\n*x: 1\nb: 2\n", R"({"a":"app","app":1,"b":2})"},
                {"a: &x-1_z app\n*x-1_z:\n  b: 2\n", R"({"a":"app","app":{"b":2}})"},
                {"a: &x app\n*x:\n- 1\n", R"({"a":"app","app":[1]})"},
                {"a: &x app\n*x:", R"({"a":"app","app":null})"},
                {"a: &x app\n*x : 1\n", R"({"a":"app","app":1})"},
                {"a: &x app\nb: [{*x: 1, c: *x}, {c: 2, *x: 3}]\n",
                 R"({"a":"app","b":[{"app":1,"c":"app"},{"c":2,"app":3}]})"},
                {"a: &x app\nb: |\n  *x: 1\nc: '*x: 2'\n# *x: 3\n*x: \"\n  *x: 4\"\n",
                 R"({"a":"app","b":"*x: 1\n","c":"*x: 2","app":" *x: 4"})"},
                {"b: |\n  *x: 1\nc: &x 1\n", R"({"b":"*x: 1\n","c":1})"}};
    for (const auto& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(read_as_json(row.text), row.want);
    }
}

TEST(YamlReader, KnowsPositionsBehindAnAliasThatIsAKey) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("in.yaml", "a: &x app\n*x: {*x: 1, b: 2}\n");
    const Value value = read_yaml(sources, source, diagnostics);
    const Member* app = value.find_member("app");
    EXPECT_EQ(sources.describe(app->key.pos()), "in.yaml:2:1");
    EXPECT_EQ(sources.describe(app->value.pos()), "in.yaml:2:5");
    EXPECT_EQ(sources.describe(app->value.find("app")->pos()), "in.yaml:2:10");
    EXPECT_EQ(sources.describe(app->value.find("b")->pos()), "in.yaml:2:16");
}

TEST(YamlReader, KeysAreStrings) {
    EXPECT_EQ(read_as_json("80: a\non: b\n~: c\n"), R"({"80":"a","true":"b","null":"c"})");
}

TEST(YamlReader, KnowsThePositionOfEveryValue) {
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
         "in.yaml:3:1: error: duplicate key \"a\" [duplicate-key]\n"
         "    3 | a: 3\n"
         "      | ^\n"
         "  found: a second \"a\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:1:1: note: the first one is here\n"},
        {"recursive", "a: &x [*x]\n",
         "in.yaml:1:8: error: alias inside the node that it refers to [yaml-alias]\n"
         "    1 | a: &x [*x]\n"
         "      |        ^\n"
         "  expected: an alias after the end of its anchor's node\n"
         "  hint: remove the alias: a value cannot contain itself\n"
         "in.yaml:1:4: note: the anchor is here\n"},
        {"tab", "a:\n\tb: 1\n",
         "in.yaml:2:1: error: tab in the indentation [tab-indentation]\n"
         "    2 | \tb: 1\n"
         "      | ^\n"
         "  found: a tab\n"
         "  expected: spaces\n"
         "  hint: YAML allows only spaces there: replace the tab\n"},
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
         "  expected: printable characters, spaces, tabs and line breaks\n"
         "  hint: write it as an escape in double quotes; put binary data in base64\n"},
        {"anchor", "a: *x\n",
         "in.yaml:1:4: error: alias refers to an anchor that is not defined before it "
         "[yaml-syntax]\n"
         "    1 | a: *x\n"
         "      |    ^\n"
         "  expected: an anchor of that name above\n"
         "  hint: an anchor is only valid up to the next \"---\"\n"},
        {"merge", "a: {<<: 5}\n",
         "in.yaml:1:5: error: merge key \"<<\" has a number as its value [yaml-merge]\n"
         "    1 | a: {<<: 5}\n"
         "      |     ^\n"
         "  expected: a map or a list of maps\n"
         "  hint: refer to an anchor of a map: \"<<: *base\"\n"},
        {"merged over", "a: {x: 1, <<: {x: 2}}\n",
         "in.yaml:1:5: warning: tools disagree about the value of \"x\" [yaml-merge]\n"
         "    1 | a: {x: 1, <<: {x: 2}}\n"
         "      |     ^\n"
         "  found: another value of this key in the map that \"<<\" merges below it\n"
         "  expected: keys of the map itself below \"<<\"\n"
         "  hint: move \"<<\" to the top of the map: kustomize and Flux take this value, kubectl "
         "and Argo CD the merged one\n"
         "in.yaml:1:11: note: the map is merged here\n"},
        {"tag", "a: !Ref x\n",
         "in.yaml:1:4: error: tag \"!Ref\" does not fit here [yaml-tag]\n"
         "    1 | a: !Ref x\n"
         "      |    ^\n"
         "  expected: plain YAML: maps, lists, strings, numbers, booleans and null\n"
         "  hint: remove the tag; Kubernetes objects need none\n"},
        {"key", "? [a]\n: b\n",
         "in.yaml:1:3: error: a list in place of a key [yaml-key]\n"
         "    1 | ? [a]\n"
         "      |   ^\n"
         "  expected: a string\n"
         "  hint: quote the key, or put a space after its colon\n"},
        {"two", "a: 1\n---\nb: 2\n",
         "in.yaml:3:1: error: more than one document where one is expected [yaml-syntax]\n"
         "    3 | b: 2\n"
         "      | ^\n"
         "  found: a second document\n"
         "  expected: one document\n"
         "  hint: keep one, or move the others to separate files\n"
         "in.yaml:1:1: note: the first one is here\n"},
        {"every duplicate", "a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n",
         "in.yaml:2:1: error: duplicate key \"a\" [duplicate-key]\n"
         "    2 | a: 2\n"
         "      | ^\n"
         "  found: a second \"a\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:1:1: note: the first one is here\n"
         "in.yaml:3:11: error: duplicate key \"c\" [duplicate-key]\n"
         "    3 | b: {c: 1, c: 2}\n"
         "      |           ^\n"
         "  found: a second \"c\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:3:5: note: the first one is here\n"
         "in.yaml:4:1: error: duplicate key \"a\" [duplicate-key]\n"
         "    4 | a: 3\n"
         "      | ^\n"
         "  found: a second \"a\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:1:1: note: the first one is here\n"},
        {"merge key twice", "x: &x {a: 1}\ny: {<<: *x, <<: *x}\n",
         "in.yaml:2:13: error: duplicate key \"<<\" [duplicate-key]\n"
         "    2 | y: {<<: *x, <<: *x}\n"
         "      |             ^\n"
         "  found: a second \"<<\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:2:5: note: the first one is here\n"},
        {"map as key", "? {a: b}\n: c\n",
         "in.yaml:1:3: error: a map in place of a key [yaml-key]\n"
         "    1 | ? {a: b}\n"
         "      |   ^\n"
         "  expected: a string\n"
         "  hint: quote the key, or put a space after its colon\n"},
        {"alias of a list as key", "a: &x [1]\n*x : 2\n",
         "in.yaml:2:1: error: a list in place of a key [yaml-key]\n"
         "    2 | *x : 2\n"
         "      | ^\n"
         "  expected: a string\n"
         "  hint: quote the key, or put a space after its colon\n"},
        {"unknown alias as key", "b: &y c\n*y: 1\na: |\n  *y: 2\n*x: 2\n",
         "in.yaml:5:1: error: alias refers to an anchor that is not defined before it "
         "[yaml-syntax]\n"
         "    5 | *x: 2\n"
         "      | ^\n"
         "  expected: an anchor of that name above\n"
         "  hint: an anchor is only valid up to the next \"---\"\n"},
        {"alias twice as key", "a: &x b\n*x: 1\n*x: 2\n",
         "in.yaml:3:1: error: duplicate key \"b\" [duplicate-key]\n"
         "    3 | *x: 2\n"
         "      | ^\n"
         "  found: a second \"b\"\n"
         "  expected: each key once\n"
         "  hint: remove one of them; tools disagree about which one wins\n"
         "in.yaml:2:1: note: the first one is here\n"},
        {"tag of a list on a map", "a: !!seq {}\n",
         "in.yaml:1:4: error: tag \"tag:yaml.org,2002:seq\" does not fit here [yaml-tag]\n"
         "    1 | a: !!seq {}\n"
         "      |    ^\n"
         "  expected: plain YAML: maps, lists, strings, numbers, booleans and null\n"
         "  hint: remove the tag; Kubernetes objects need none\n"},
        {"tag of a number on a word", "a: !!int x\n",
         "in.yaml:1:4: error: tag \"tag:yaml.org,2002:int\" does not fit here [yaml-tag]\n"
         "    1 | a: !!int x\n"
         "      |    ^\n"
         "  expected: plain YAML: maps, lists, strings, numbers, booleans and null\n"
         "  hint: remove the tag; Kubernetes objects need none\n"},
        {"no value", ", a\n",
         "in.yaml:1:1: error: expected a value [yaml-syntax]\n"
         "    1 | , a\n"
         "      | ^\n"
         "  expected: YAML\n"
         "  hint: look at the quotes, brackets and indentation at this place and above it\n"},
        {"syntax", "a: b: c\n",
         "in.yaml:1:5: error: a second colon, with a space behind it, in a value [yaml-syntax]\n"
         "    1 | a: b: c\n"
         "      |     ^\n"
         "  expected: one \"key: value\" on a line\n"
         "  hint: put the value in quotes, or the second key on a line of its own\n"},
        {"surrogate", "a: \"\\ud800\"\n",
         "in.yaml:1:11: error: invalid Unicode escape [yaml-syntax]\n"
         "    1 | a: \"\\ud800\"\n"
         "      |           ^\n"
         "  expected: escapes of Unicode characters\n"
         "  hint: surrogates are not characters: write the character itself\n"},
        {"tab behind blanks", "a:\n  b: 1\n \tc: 1\n",
         "in.yaml:3:2: error: tab in the indentation [tab-indentation]\n"
         "    3 |  \tc: 1\n"
         "      |  ^\n"
         "  found: a tab\n"
         "  expected: spaces\n"
         "  hint: YAML allows only spaces there: replace the tab\n"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(read_as_json(row.text), row.want);
    }
}

TEST(YamlReader, RefusesLinesWithoutAColon) {
    for (const char* text : {"a: b\nda", "a: b\nda\n", "a:\n  b: c\n  da\n", "a: b\nda # x: y\n",
                             "a: b\n\"da\"\n", "a: b\n'd:a'\n", "- a: b\n  da\n", "a: b\nd:a\n",
                             "a: b\n\"da\" # \"x\": y\n", "a: b\n&x da # x: y\n"}) {
        const std::string said = read_as_json(text);
        const bool refused =
            said.ends_with("above it\n") && said.find("[yaml-syntax]") != std::string::npos;
        EXPECT_TRUE(refused) << text << said;
    }
    EXPECT_TRUE(
        read_as_json("a: b\nda\n").starts_with("in.yaml:2:1: error: a key without a colon"));
    EXPECT_EQ(read_as_json("a: b\nda:"), R"({"a":"b","da":null})");
    EXPECT_EQ(read_as_json("a: b\n? da\n"), R"({"a":"b","da":null})");
    EXPECT_EQ(read_as_json("{a, b: c}"), R"({"a":null,"b":"c"})");
    EXPECT_EQ(read_as_json("'d:a':\n\"e\" :\nf: !!null\n&x g: *x\nh : # none\n"),
              R"({"d:a":null,"e":null,"f":null,"g":"g","h":null})");
    EXPECT_EQ(read_as_json(R"("a": # the "name"
'b''#:': #'q
"c\"": # "
&x "d #":
)"),
              R"({"a":null,"b'#:":null,"c\"":null,"d #":null})");
    const std::string after_list = read_as_json("- a\nb\n");
    EXPECT_NE(after_list.find("error: "), std::string::npos) << after_list;
}

TEST(YamlReader, PassesOverBlankDocuments) {
    EXPECT_EQ(read_as_json("---\n---\na: 1\n...\n---\n# c\n"), R"({"a":1})");
    EXPECT_EQ(read_as_json("---\n---\n# c\n"), "null");
}

// Repeats the text and joins the copies.
std::string repeat(const std::string& text, int count, const std::string& between = "") {
    std::string result;
    for (int i = 0; i < count; ++i) {
        result += (i == 0 ? "" : between) + text;
    }
    return result;
}

TEST(YamlReader, BoundsDepth) {
    EXPECT_EQ(read_as_json(repeat("[", kMaxDepth) + repeat("]", kMaxDepth)),
              repeat("[", kMaxDepth) + repeat("]", kMaxDepth));
    EXPECT_EQ(read_as_json("a: # deep\n " + repeat("[\n ", kMaxDepth) + repeat("]", kMaxDepth)),
              "in.yaml:101:2: error: nested deeper than 100 levels [yaml-nesting]\n"
              "  101 |  [\n"
              "      |  ^\n"
              "  expected: at most 100 levels\n"
              "  hint: flatten the document\n"
              "in.yaml:1:1: note: the outermost level is here\n");
}

std::string too_many_alias_nodes(int line, int column, const std::string& text) {
    return fmt::format(
        "in.yaml:{}:{}: error: aliases expand to more than 100000 nodes [yaml-alias]\n"
        "    {} | {}\n"
        "      | {}^\n"
        "  expected: at most 100000 nodes from aliases in a document\n"
        "  hint: repeat the values, or nest fewer aliases\n",
        line, column, line, text, std::string(static_cast<std::size_t>(column) - 1, ' '));
}

TEST(YamlReader, BoundsWhatAliasesMake) {
    std::string bomb = "a: &a [" + repeat("x", 10, ", ") + "]\n";
    for (char c = 'b'; c < 'h'; ++c) {
        const std::string alias = std::string("*") + static_cast<char>(c - 1);
        bomb += fmt::format("{}: &{} [{}]\n", c, c, repeat(alias, 10, ", "));
    }
    EXPECT_EQ(read_as_json(bomb),
              too_many_alias_nodes(5, 36, "e: &e [" + repeat("*d", 10, ", ") + "]") +
                  "in.yaml:4:4: note: the anchor is here\n");
    const std::string text = "a: &a \"" + std::string(1 << 20, 'x') + "\"\n";
    EXPECT_EQ(read_as_json(text + "b: [" + repeat("*a", 25, ", ") + "]\n"),
              too_many_alias_nodes(2, 101, "b: [" + repeat("*a", 25, ", ") + "]") +
                  "in.yaml:1:4: note: the anchor is here\n");
}

TEST(YamlReader, BoundsWhatAnchorsKeep) {
    std::string nested;
    for (int i = 0; i < 30; ++i) {
        nested += fmt::format("&a{} [\n", i);
    }
    EXPECT_EQ(read_as_json(nested + repeat("x", 50'000, ", ") + repeat("]", 30)),
              "in.yaml:11:1: error: anchors name more than 1000000 nodes [yaml-alias]\n"
              "   11 | &a10 [\n"
              "      | ^\n"
              "  expected: at most 1000000 nodes with anchors in a document\n"
              "  hint: remove anchors that no alias uses\n");
}

TEST(YamlReader, BoundsTheSizeOfADocument) {
    EXPECT_EQ(read_as_json("a:\n" + repeat(" x\n", static_cast<int>(kMaxDocumentBytes / 3))),
              "in.yaml:1:1: error: document is too large [yaml-size]\n"
              "    1 | a:\n"
              "      | ^\n"
              "  found: 67108866 bytes\n"
              "  expected: at most 67108864 bytes\n"
              "  hint: no API server accepts an object of that size: split it\n");
}

TEST(YamlReader, MergesLargeMapsQuickly) {
    std::string text = "<<: [{";
    for (int i = 0; i < 40'000; ++i) {
        text += fmt::format("k{}: 1, ", i);
    }
    text += "}, {k7: 2, z: 3}]\nk8: 4\n";
    SourceMap sources;
    Diagnostics diagnostics;
    const Value value = read_yaml(sources, sources.add("in.yaml", text), diagnostics);
    EXPECT_EQ(value.size(), 40'001U);
    EXPECT_EQ(value.find("k7")->as_int(), 1);
    EXPECT_EQ(value.find("k8")->as_int(), 4);
    EXPECT_EQ(sources.describe(value.find("z")->pos()).substr(0, 10), "in.yaml:1:");
}

}  // namespace
}  // namespace renderer::inline core
