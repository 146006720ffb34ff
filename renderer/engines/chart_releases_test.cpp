#include "renderer/engines/chart_releases.h"

#include <gtest/gtest.h>

#include "renderer/core/diagnostics.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/kustomize/helm_charts.h"

namespace renderer::engines {
namespace {

Value yaml(SourceMap& sources, std::string text) {
    Diagnostics diagnostics;
    return read_yaml(sources, sources.add("chart.yaml", std::move(text)), diagnostics);
}

// Returns the value of `from` in each layer.
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

ChartRelease release(const std::string& text) {
    SourceMap sources;
    return std::move(chart_releases(yaml(sources, text), "shop", sources).front());
}

TEST(ChartReleases, SayWhereTheirChartsAre) {
    const ChartRelease k3s = release(
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\n"
        "spec: {repo: https://charts.example, chart: web, version: 1.x}\n");
    EXPECT_EQ(k3s.address, (repo::ChartAddress{"https://charts.example", "web", "1.x"}));
    const std::string application =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"
        "spec: {source: {chart: web, targetRevision: 1.x, repoURL: ";
    EXPECT_EQ(release(application + "ghcr.io/acme}}").address,
              (repo::ChartAddress{"oci://ghcr.io/acme", "web", "1.x"}));
    EXPECT_EQ(release(application + "https://charts.example}}").address,
              (repo::ChartAddress{"https://charts.example", "web", "1.x"}));
    EXPECT_EQ(release(application + "ghcr.io/acme, helm: {valueFiles: [$x/a, b]}}}").unknown,
              "valueFiles of a chart that is not in the tree");
    EXPECT_EQ(release(application + "ghcr.io/acme, helm: {valueFiles: [$x/a]}}}").unknown, "");
    const std::string flux =
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n"
        "spec: {chart: {spec: {chart: web, version: 1.x, sourceRef: {name: acme, kind: ";
    EXPECT_EQ(release(flux + "HelmRepository, namespace: flux}}}}").repository, "acme");
    EXPECT_EQ(release(flux + "HelmRepository, namespace: flux}}}}").source_namespace, "flux");
    EXPECT_EQ(release(flux + "HelmRepository}}}}").source_namespace, "shop");
    EXPECT_EQ(release(flux + "Bucket}}}}").address.unknown, "a chart of a Bucket");
    SourceMap sources;
    const ChartRelease kustomization = std::move(
        chart_releases_of_kustomization(
            yaml(sources, "helmCharts: [{name: web, repo: 'oci://ghcr.io/acme', version: 1.x}]"),
            "kustomization.yaml")
            .front());
    EXPECT_EQ(kustomization.address, (repo::ChartAddress{"oci://ghcr.io/acme", "web", "1.x"}));
    EXPECT_EQ(kustomization.clone().address, kustomization.address);
}

TEST(ChartReleases, MayHoldTheirChart) {
    const std::string chart =
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec: "
        "{chartContent: ";
    EXPECT_EQ(release(chart + "dGd6}").archive, "tgz");
    EXPECT_EQ(release(chart + "dGd6}").clone().archive, "tgz");
    EXPECT_EQ(release(chart + "dGd6}").unknown, "");
    EXPECT_EQ(release(chart + "'?'}").unknown, "chartContent that is not base64");
}

}  // namespace
}  // namespace renderer::engines
