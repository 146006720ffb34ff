#include "renderer/core/block_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renderer/core/json.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::inline core {
namespace {

// Returns what the fast reader makes of a text, as JSON; "" if it does not support it.
std::string fast(const std::string& text) {
    SourceMap sources;
    const SourceId source = sources.add("in.yaml", text);
    const std::optional<Value> value = read_block_style(sources, source, 0, text);
    return value ? write_json(*value) : "";
}

TEST(BlockReader, TakesFlowStyle) {
    const struct {
        std::string text;
        const char* want;
    } rows[] = {
        {"a: [b, 'c', \"d\\n\", 5, -v, e f, it's, http://g/h]\n",
         R"({"a":["b","c","d\n",5,"-v","e f","it's","http://g/h"]})"},
        {"a: {b: c, 80: d, \"e\": {}, f: [ ], } # g\nh: i\n",
         R"({"a":{"b":"c","80":"d","e":{},"f":[]},"h":"i"})"},
        {"a: [\n  b, # c\n  # d\n  {e: f,\n g: h}\n]\nh: i\n",
         R"({"a":["b",{"e":"f","g":"h"}],"h":"i"})"},
        {"- [a]\n- - {b: c}\n  - d\n", R"([["a"],[{"b":"c"},"d"]])"},
        {"a:\n  [b]\nc: d\n", R"({"a":["b"],"c":"d"})"},
        {"{\"a\":1,\"b\":[true,null]}", R"({"a":1,"b":[true,null]})"},
        {"[\n]\n# c\n", "[]"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(fast(row.text), row.want) << row.text;
        SourceMap sources;
        Diagnostics diagnostics;
        const SourceId source = sources.add("in.yaml", row.text);
        EXPECT_EQ(write_json(read_any_style(sources, source, 0, row.text, diagnostics)), row.want)
            << row.text;
    }
}

TEST(BlockReader, LeavesFlowStyleThatIsNotCertain) {
    const std::string deep = std::string(50, '[') + std::string(50, ']');
    for (const std::string& text : std::vector<std::string>{
             "a: [b\n",        "a: [b}\n",          "a: [b] c\n",       "a: [b]#c\n",
             "a: [b]: c\n",    "a: [b: c]\n",       "a: [b:, c]\n",     "a: [b c\n d]\n",
             "a: [b, , c]\n",  "a: [, b]\n",        "a: {b}\n",         "a: {b: }\n",
             "a: {b:\n c}\n",  "a: {b: c, b: d}\n", "a: {b: c: d}\n",   "a: {b: 'c' d}\n",
             "a: {b:c}\n",     "a: {<<: b}\n",      "a: {yes: b}\n",    "a: {? b: c}\n",
             "a: [b?]\n",      "a: [&b c, *b]\n",   "a: [!!str b]\n",   "a: [b,\tc]\n",
             "a: [b\n--- ]\n", "a: ['b\n c']\n",    "[a]\n[b]\n",       "{a: b}: c\n",
             "- [a]\n - b\n",  "a: [b]\n  c: d\n",  "a: " + deep + "\n"}) {
        EXPECT_EQ(fast(text), "") << text;
    }
}

}  // namespace
}  // namespace renderer::inline core
