#include "renderer/load/charts/inflated_tree.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/charts/chart_values.h"
#include "renderer/load/charts/operator_dependency.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::string_view kCharts = "helmCharts";

}  // namespace

std::string chart_home_dir(const SourceTree& tree, const Value& kustomization,
                           const std::string& dir, const ChartRelease& chart) {
    const std::string_view home = text_of(kustomization, {"helmGlobals", "chartHome"});
    const std::string charts = join_path(dir, home.empty() ? "charts" : home);
    for (const std::string& place :
         {fmt::format("{}/{}-{}/{}", charts, chart.chart, chart.version, chart.chart),
          fmt::format("{}/{}", charts, chart.chart)}) {
        std::string path = normal_path(place);
        if (tree.kind(join_path(path, "Chart.yaml")) == EntryKind::File) {
            return path;
        }
    }
    return {};
}

std::string chart_of_kustomization(std::string_view path, std::string_view chart) {
    return fmt::format("{} {}", path, chart);
}

InflatedTree::InflatedTree(const SourceTree& tree, KustomizationReader& reader,
                           const BuildFiles& files, const std::string& root, SourceMap& sources,
                           ChartTemplates& charts, bool (*matters)(std::string_view)) {
    std::map<std::string, std::string> made;
    for (const std::string& path : files.paths) {
        const Kustomization* file = reader.find(parent_path(path));
        if (file == nullptr || file->path != path || !file->root.is_map() ||
            file->root.find(kCharts) == nullptr) {
            continue;
        }
        Value changed = file->root.clone();
        Value left = Value::list();
        Value resources = Value::list();
        for (const Value& resource : items_of(file->root.find("resources"))) {
            resources.append(resource.clone());
        }
        const auto entries = items_of(file->root.find(kCharts));
        std::vector<ChartRelease> releases = chart_releases_of_kustomization(file->root, path);
        for (std::size_t i = 0; i < releases.size(); ++i) {
            ChartRelease& release = releases[i];
            release.dir = chart_home_dir(tree, file->root, file->dir, release);
            const ChartValues given = chart_values(tree, root, release, sources);
            Result<std::optional<std::string>> text =
                installs_operator_alone(tree, release) || !given.lacking.empty()
                    ? Result(std::optional<std::string>())
                    : charts.render(release, given.layers, matters);
            if (!text) {
                failures.push_back(std::move(text.error().diagnostic));
                failures.back().pos = release.pos;
                failures.back().severity = severity_of(failures.back());
            }
            if (!text || !*text) {
                left.append(entries[i].clone());
                continue;
            }
            const std::string name = fmt::format("tailrender-chart-{}.yaml", i);
            made[join_path(file->dir, name)] = std::move(**text);
            resources.append(name);
            rendered.insert(chart_of_kustomization(path, release.chart));
            values.insert(given.files.begin(), given.files.end());
            if (!release.dir.empty()) {
                values.insert(release.dir);
            }
        }
        if (left.size() == entries.size()) {
            continue;
        }
        changed.put("resources", std::move(resources));
        if (left.size() == 0) {
            changed.erase(kCharts);
            changed.erase("helmGlobals");
        } else {
            changed.put(kCharts, std::move(left));
        }
        std::string text;
        write_yaml(changed, text);
        made[path] = std::move(text);
    }
    if (!made.empty()) {
        overlay_ = std::make_unique<OverlayTree>(tree, std::move(made));
        reader_ = std::make_unique<KustomizationReader>(*overlay_, sources, std::string(),
                                                        reader.local());
    }
}

}  // namespace renderer
