#include "renderer/engines/kustomize/helm_charts.h"

#include "renderer/core/text_of.h"
#include "renderer/engines/helm/release_parts.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// `valuesMerge` decides whether the file or the inline values take precedence.
void add_files_of_kustomization(const Value& chart, ChartRelease& release) {
    const std::string_view merge = text_of(chart, {"valuesMerge"});
    const std::string_view file = text_of(chart, {"valuesFile"});
    if (merge == "merge") {
        release.later_files.push_back({std::string(file), chart.pos()});
    } else if (merge != "replace" || release.values.empty()) {
        release.values_files.push_back({std::string(file), chart.pos()});
    }
    for (const Value& additional : items_of(chart.find("additionalValuesFiles"))) {
        release.later_files.push_back({std::string(text_of(additional)), additional.pos()});
    }
}

}  // namespace

std::vector<ChartRelease> chart_releases_of_kustomization(const Value& kustomization,
                                                          const std::string& path) {
    std::vector<ChartRelease> found;
    for (const Value& chart : items_of(kustomization.find("helmCharts"))) {
        ChartRelease& release = found.emplace_back();
        release.pos = chart.pos();
        release.chart = text_of(chart, {"name"});
        release.object = path;
        release.name = text_of(chart, {"releaseName"});
        release.version = text_of(chart, {"version"});
        release.address = chart_address(text_of(chart, {"repo"}), release);
        release.ns =
            first_text({text_of(chart, {"namespace"}), text_of(kustomization, {"namespace"})});
        release.files_dir = repo::parent_path(path);
        release.with_crds = spelling_of(chart.find("includeCRDs")) == "true";
        release.with_hooks = spelling_of(chart.find("skipHooks")) != "true";
        add_value_map(chart.find("valuesInline"), release);
        add_files_of_kustomization(chart, release);
        for (const std::string_view field : {"nameTemplate", "apiVersions", "kubeVersion"}) {
            if (chart.find(field) != nullptr) {
                release.unknown = field;
            }
        }
    }
    return found;
}

}  // namespace renderer::engines
