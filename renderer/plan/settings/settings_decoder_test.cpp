#include "renderer/plan/settings/settings_decoder.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"
#include "renderer/plan/settings/settings_testing.h"

namespace renderer::plan {
namespace {

struct SettingRow {
    std::string_view defaults;
    std::vector<std::string_view> layers;
    std::string_view want;
};

TEST(MergeLayers, WorksAsInHelm) {
    const std::vector<SettingRow> rows = {
        {"{a: {b: 1, c: 2}}", {"{a: {c: 3}}"}, R"({"a":{"b":1,"c":3}})"},
        {"{a: [1, 2]}", {"{a: [3]}"}, R"({"a":[3]})"},
        {"{a: {b: 1}}", {"{a: {b: null}}"}, R"({"a":{}})"},
        {"{a: {b: 1}}", {"{a: null}"}, R"({})"},
        {"{a: {b: 1}}", {"{a: null}", "{a: {c: 2}}"}, R"({"a":{"b":1,"c":2}})"},
        {"{a: 1}", {"{a: {b: 2}}", "{a: 3}"}, R"({"a":3})"},
        {"{}", {"{a: {b: null, c: 1}}"}, R"({"a":{"c":1}})"},
        {"{a: 1}", {"", "[1]"}, R"({"a":1})"},
    };
    for (const SettingRow& row : rows) {
        SourceMap sources;
        Diagnostics diagnostics;
        std::vector<Value> layers;
        layers.reserve(row.layers.size());
        for (const std::string_view layer : row.layers) {
            layers.push_back(parse(sources, layer, diagnostics));
        }
        std::vector<const Value*> pointers;
        pointers.reserve(layers.size());
        for (const Value& layer : layers) {
            pointers.push_back(&layer);
        }
        const Value merged = merge_layers(parse(sources, row.defaults, diagnostics), pointers);
        EXPECT_EQ(write_json_sorted(merged), row.want);
    }
}

TEST(MergeLayers, AKeyHasThePositionInTheLastLayer) {
    SourceMap sources;
    Diagnostics diagnostics;
    const Value layer = parse(sources, "\n\nloginServer: x", diagnostics);
    const Value merged = merge_layers(chart_defaults(), {&layer});
    EXPECT_EQ(sources.locate(merged.find_member("loginServer")->key.pos()).line, 3U);
    EXPECT_EQ(sources.locate(merged.find("loginServer")->pos()).line, 3U);
}

TEST(ParseDuration, ReadsWholeNumbersWithUnits) {
    EXPECT_EQ(parse_duration("5m"), 300'000);
    EXPECT_EQ(parse_duration("300s"), 300'000);
    EXPECT_EQ(parse_duration("1h30m"), 5'400'000);
    EXPECT_EQ(parse_duration("250ms"), 250);
    EXPECT_EQ(parse_duration("0"), 0);
    for (const std::string_view text : {"", "5", "m", "5 m", "-5m", "5d", "1.5h", "12345678901s"}) {
        EXPECT_EQ(parse_duration(text), -1) << text;
    }
}

}  // namespace
}  // namespace renderer::plan
