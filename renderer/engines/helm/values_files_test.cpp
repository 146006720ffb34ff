#include "renderer/engines/helm/values_files.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "renderer/core/json.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

// Returns the layer that the assignments make, as JSON, and then the messages.
std::string parse(const std::vector<std::string>& sets, std::vector<Value> layers = {}) {
    SourceMap sources;
    Diagnostics diagnostics;
    add_sets(sets, sources, layers, diagnostics);
    return (layers.empty() ? "" : write_json(layers.back())) + diagnostics.print(sources, false);
}

struct ValuesRow {
    std::string_view name, set, want;
};

TEST(Values, Set) {
    constexpr std::array kRows = {
        ValuesRow{"path", "a.b.c=x", R"({"a":{"b":{"c":"x"}}})"},
        ValuesRow{"escaped dot", R"(a.b\.c/d=x)", R"({"a":{"b.c/d":"x"}})"},
        ValuesRow{"types", "a=true,b=false,c=null,d=12,e=-3,f=0",
                  R"({"a":true,"b":false,"c":null,"d":12,"e":-3,"f":0})"},
        ValuesRow{"strings", "a=,b=012,c=1.5,d=True,e=0x1",
                  R"({"a":"","b":"012","c":"1.5","d":"True","e":"0x1"})"},
        ValuesRow{"escaped comma", R"(a=x\,y)", R"({"a":"x,y"})"},
        ValuesRow{"equals sign in the value", "a=b=c", R"({"a":"b=c"})"},
        ValuesRow{"list", "a={x,2,true}", R"({"a":["x",2,true]})"},
        ValuesRow{"empty list", "a={}", R"({"a":[]})"},
        ValuesRow{"index", "a[0].b=x,a[0].c=y,a[1].b=z", R"({"a":[{"b":"x","c":"y"},{"b":"z"}]})"},
        ValuesRow{"last wins", "a.b=1,a.b=2", R"({"a":{"b":2}})"},
        ValuesRow{"map replaces scalar", "a=1,a.b=2", R"({"a":{"b":2}})"},
    };
    for (const ValuesRow& row : kRows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(parse({std::string(row.set)}), row.want);
    }
}

TEST(Values, SetsMerge) {
    EXPECT_EQ(parse({"a.b=1", "a.c=2"}), R"({"a":{"b":1,"c":2}})");
    EXPECT_EQ(parse({}), "");
}

TEST(Values, IndexChangesTheListOfALowerLayer) {
    std::vector<Value> layers;
    layers.push_back(Value::map({{"a", Value::list({"x", "y"})}}));
    layers.push_back(Value::map({{"b", 1}}));
    EXPECT_EQ(parse({"a[1]=z"}, std::move(layers)), R"({"a":["x","z"]})");
}

TEST(Values, SetErrors) {
    EXPECT_EQ(parse({"a.b"}),
              "{}--set:1:3: error: no value for key \"b\" in --set [invalid-set]\n"
              "    1 | a.b\n"
              "      |   ^\n"
              "  expected: key.path=value\n"
              "  hint: commas separate assignments; write \\, for a comma in a value\n");
    EXPECT_EQ(parse({"a..b=1"}),
              "{}--set:1:3: error: empty key in --set [invalid-set]\n"
              "    1 | a..b=1\n"
              "      |   ^\n"
              "  expected: key.path=value\n"
              "  hint: write --set a.b=value\n");
    EXPECT_EQ(parse({"a[x]=1"}),
              "{}--set:1:2: error: invalid list index \"[x\" [invalid-set]\n"
              "    1 | a[x]=1\n"
              "      |  ^\n"
              "  expected: key.path=value\n"
              "  hint: write an index as [0]\n");
    EXPECT_EQ(parse({"a[1]=1"}),
              "{\"a\":[]}--set:1:2: error: index 1 is past the end of the list [invalid-set]\n"
              "    1 | a[1]=1\n"
              "      |  ^\n"
              "  expected: key.path=value\n"
              "  hint: set the items in order\n");
}

std::string read_file(std::map<std::string, std::string> files) {
    SourceMap sources;
    Diagnostics diagnostics;
    std::vector<Value> layers;
    add_values_file(repo::MemoryTree(std::move(files)), "v.yaml", {}, sources, layers, diagnostics);
    return (layers.empty() ? "" : write_json(layers.back())) + diagnostics.print(sources, false);
}

TEST(Values, File) {
    EXPECT_EQ(read_file({{"v.yaml", "a: {b: 1}\n"}}), R"({"a":{"b":1}})");
    EXPECT_EQ(read_file({{"v.yaml", "# nothing\n"}}), "");
    EXPECT_EQ(read_file({}),
              "v.yaml: error: cannot read: No such file or directory [unreadable]\n"
              "  hint: fix the path; it is relative to the current directory\n");
    EXPECT_EQ(read_file({{"v.yaml", "- a\n"}}),
              "v.yaml:1:1: error: a values file must be a map [wrong-type]\n"
              "    1 | - a\n"
              "      | ^\n"
              "  found: a list\n"
              "  expected: a map of Helm values\n");
}

}  // namespace
}  // namespace renderer::engines
