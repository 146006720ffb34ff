#include "renderer/load/charts/chart_release.h"

#include <gtest/gtest.h>

#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"

namespace renderer {
namespace {

Value yaml(SourceMap& sources, std::string text) {
    Diagnostics diagnostics;
    return read_yaml(sources, sources.add("chart.yaml", std::move(text)), diagnostics);
}

// What each layer says of `from`.
std::string layers(std::string chart, const std::string& config) {
    SourceMap sources;
    const Value object = yaml(sources, std::move(chart));
    const Value other = config.empty() ? Value() : yaml(sources, config);
    std::string text;
    for (const ChartRelease& release :
         chart_releases(object, "kube-system", sources, config.empty() ? nullptr : &other)) {
        for (const Value& layer : release.values) {
            text += text.empty() ? "" : " ";
            text += text_of(layer, {"from"});
        }
    }
    return text;
}

constexpr const char* kChart =
    "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec:\n  chart: c\n"
    "  values: {from: values}\n  valuesContent: 'from: content'\n  set: {from: set}\n";
constexpr const char* kConfig =
    "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: a}\nspec:\n"
    "  values: {from: config-values}\n  valuesContent: 'from: config-content'\n";

TEST(ChartReleases, OfK3sHaveTheirValuesInRisingPrecedence) {
    EXPECT_EQ(layers(kChart, ""), "content values set");
    EXPECT_EQ(layers(kChart, kConfig), "content values config-content config-values set");
}

}  // namespace
}  // namespace renderer
