#include "renderer/engines/helm/operator_dependency.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::engines {
namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* kOperatorFile = "name: tailscale-operator\nversion: 1.98.4\n";

std::string chart_with(const std::string& dependency) {
    return fmt::format("name: net\nversion: 0.1.0\ndependencies:\n- {{{}}}\n", dependency);
}

// Returns "version: last layer" of each dependency that is enabled.
std::string dependencies_of(const Files& files, const std::string& values = {}) {
    const repo::MemoryTree tree(files);
    SourceMap sources;
    Diagnostics diagnostics;
    std::vector<Value> layers;
    if (!values.empty()) {
        layers.push_back(read_yaml(sources, sources.add("values.yaml", values), diagnostics));
    }
    std::string text;
    for (const OperatorDependency& one : operator_dependencies(tree, ".", "net")) {
        const std::optional<std::vector<Value>> own = operator_values(tree, one, layers, sources);
        if (!own) {
            text += "disabled";
            continue;
        }
        text += one.version + ":";
        for (const Value& layer : *own) {
            std::string shown;
            write_yaml(layer, shown);
            text += layer.size() == 0 ? "" : " " + shown.substr(0, shown.find('\n'));
        }
    }
    return text;
}

TEST(OperatorDependency, HasItsValuesBelowItsNameOrAlias) {
    const std::string named = "name: tailscale-operator, version: 1.98.4, repository: 'oci://a/b'";
    EXPECT_EQ(
        dependencies_of({{"net/Chart.yaml", chart_with(named)}}, "tailscale-operator: {a: 1}"),
        "1.98.4: a: 1");
    EXPECT_EQ(dependencies_of({{"net/Chart.yaml", chart_with(named + ", alias: ts")}},
                              "tailscale-operator: {a: 1}\nts: {b: 2}"),
              "1.98.4: b: 2");
    EXPECT_EQ(dependencies_of({{"net/Chart.yaml", chart_with("name: common, version: 1.0.0")}}),
              "");
}

TEST(OperatorDependency, HasTheVersionThatIsInstalled) {
    const std::string chart = chart_with("name: tailscale-operator, version: ~1.98.0");
    Files files = {{"net/Chart.yaml", chart}};
    EXPECT_EQ(dependencies_of(files), "~1.98.0:");
    files["net/Chart.lock"] = "dependencies:\n- {name: tailscale-operator, version: 1.98.3}\n";
    EXPECT_EQ(dependencies_of(files), "1.98.3:");
    files["net/charts/tailscale-operator-1.98.4.tgz"] = "";
    EXPECT_EQ(dependencies_of(files), "1.98.4:");
    EXPECT_EQ(dependencies_of({{"net/Chart.yaml", "name: net\nversion: 0.1.0\n"},
                               {"net/charts/tailscale-operator-1.98.4.tgz", ""}}),
              "1.98.4:");
}

TEST(OperatorDependency, CanBeDisabled) {
    const Files files = {
        {"net/Chart.yaml", chart_with("name: tailscale-operator, version: 1.98.4, tags: [vpn], "
                                      "condition: 'other.vpn,tailscale-operator.enabled'")}};
    struct {
        const char* values;
        const char* want;
    } const rows[] = {
        {"a: 1", "1.98.4:"},
        {"tailscale-operator: {enabled: false}", "disabled"},
        {"other: {vpn: true}\ntailscale-operator: {enabled: false}", "1.98.4: enabled: false"},
        {"tags: {vpn: false}", "disabled"},
        {"tags: {vpn: false}\ntailscale-operator: {enabled: true}", "1.98.4: enabled: true"},
        {"tailscale-operator: {enabled: 'false'}", "1.98.4: enabled: \"false\""},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.values);
        EXPECT_EQ(dependencies_of(files, row.values), row.want);
    }
}

TEST(OperatorDependency, MayBeOfAChartInBetween) {
    const Files files = {
        {"net/Chart.yaml", chart_with("name: base, version: 1.0.0, repository: 'file://../base'")},
        {"base/Chart.yaml", chart_with("name: tailscale-operator, version: 1.98.4")},
        {"base/values.yaml", "tailscale-operator: {a: 1}\n"}};
    EXPECT_EQ(dependencies_of(files, "base: {tailscale-operator: {b: 2}}"), "1.98.4: a: 1 b: 2");
    Files outside = files;
    outside["net/Chart.yaml"] =
        chart_with("name: tailscale-operator, repository: 'file://../../../etc'");
    EXPECT_EQ(dependencies_of(outside), ":");
}

std::string emptied(const Files& files) {
    ChartSource chart{.place = "net", .entry = "chart", .files = files};
    replace_operator(chart);
    std::string text;
    for (const auto& [path, content] : chart.files) {
        text += path + "\n";
    }
    for (const std::string& key : chart.operator_keys) {
        text += "values of " + key + "\n";
    }
    return text;
}

TEST(OperatorDependency, IsReplacedByAnEmptyChart) {
    const std::string chart =
        chart_with("name: tailscale-operator, version: 1.x, alias: ts, repository: 'https://a'");
    EXPECT_EQ(emptied({{"chart/Chart.yaml", chart}}),
              "chart/Chart.yaml\nchart/charts/tailscale-operator/Chart.yaml\nvalues of ts\n");
    EXPECT_EQ(emptied({{"chart/Chart.yaml", chart},
                       {"chart/charts/tailscale-operator-1.98.4.tgz", "x"},
                       {"chart/charts/web-1.0.0.tgz", "x"}}),
              "chart/Chart.yaml\nchart/charts/tailscale-operator/Chart.yaml\n"
              "chart/charts/web-1.0.0.tgz\nvalues of tailscale-operator\nvalues of ts\n");
    EXPECT_EQ(emptied({{"chart/Chart.yaml", chart},
                       {"chart/charts/tailscale-operator/Chart.yaml", kOperatorFile},
                       {"chart/charts/tailscale-operator/values.yaml", ""},
                       {"chart/charts/tailscale-operator/templates/_helpers.tpl", ""},
                       {"chart/charts/tailscale-operator/templates/deployment.yaml", ""}}),
              "chart/Chart.yaml\nchart/charts/tailscale-operator/Chart.yaml\n"
              "chart/charts/tailscale-operator/templates/_helpers.tpl\n"
              "chart/charts/tailscale-operator/values.yaml\n"
              "values of tailscale-operator\nvalues of ts\n");
    EXPECT_EQ(emptied({{"chart/Chart.yaml", chart_with("name: common, version: 1.0.0")}}),
              "chart/Chart.yaml\n");
}

TEST(OperatorDependency, IsNotWhatTheChartMakesItself) {
    ChartSource chart{.place = "net",
                      .entry = "chart",
                      .files = {{"chart/Chart.yaml", chart_with("name: tailscale-operator")},
                                {"chart/values.yaml", "tailscale-operator: {tag: tailscale}\n"},
                                {"chart/README.md", "tailscale"}}};
    replace_operator(chart);
    const auto matters = [](std::string_view text) {
        return text.find("tailscale") != std::string_view::npos;
    };
    EXPECT_FALSE(makes_objects(chart));
    EXPECT_FALSE(has_own_matter(chart, {}, matters));
    chart.files["chart/templates/a.yaml"] = "kind: Connector\napiVersion: tailscale.com/v1alpha1\n";
    EXPECT_TRUE(makes_objects(chart));
    EXPECT_TRUE(has_own_matter(chart, {}, matters));
    chart.files["chart/templates/a.yaml"] = "ingressClassName: {{ .Values.class }}\n";
    EXPECT_FALSE(has_own_matter(chart, {}, matters));
    chart.files["chart/values.yaml"] += "class: tailscale\n";
    EXPECT_TRUE(has_own_matter(chart, {}, matters));
}

}  // namespace
}  // namespace renderer::engines
