#include "renderer/engines/helm/inflated_tree.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/helm/chart_values.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/engines/helm/version_range.h"
#include "renderer/engines/kustomize/helm_charts.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kCharts = "helmCharts";

// The namespaces that a kustomization without one gets from the kustomizations that include it.
class Namespaces {
public:
    Namespaces(KustomizationReader& reader, const BuildFiles& files) : reader_(reader) {
        for (const std::string& path : files.paths) {
            const Kustomization* file = reader.find_file(path);
            if (file == nullptr) {
                continue;
            }
            for (const std::string_view field : {"resources", "components", "bases"}) {
                for (const Value& entry : items_of(file->root.find(field))) {
                    above_[repo::normal_path(repo::join_path(file->dir, text_of(&entry)))].insert(
                        file->dir);
                }
            }
        }
    }

    [[nodiscard]] std::set<std::string> of(const std::string& dir, int depth = 0) const {
        constexpr int kDeepest = 32;
        const Kustomization* file = reader_.find(dir);
        const std::string_view own = file == nullptr || !file->root.is_map()
                                         ? std::string_view()
                                         : text_of(file->root, {"namespace"});
        const auto above = above_.find(dir);
        if (!own.empty() || above == above_.end() || depth == kDeepest) {
            return {std::string(own)};
        }
        std::set<std::string> found;
        for (const std::string& one : above->second) {
            found.merge(of(one, depth + 1));
        }
        return found;
    }

private:
    KustomizationReader& reader_;
    std::map<std::string, std::set<std::string>> above_;
};

Diagnostic not_usable(std::string message, std::string found, std::string expected) {
    return {.rule = "chart-not-usable",
            .message = std::move(message),
            .found = std::move(found),
            .expected = std::move(expected)};
}

// Returns why kustomize could not render the chart, or why the result here could differ.
std::optional<Diagnostic> refusal(const ChartValues& given,
                                  const std::set<std::string>& namespaces) {
    if (!given.unread.empty()) {
        const Diagnostic& why = given.unread.front().diagnostic;
        return not_usable("kustomize cannot read the values of this chart",
                          why.found.empty() ? why.message : why.found,
                          "a file of the repository that is YAML");
    }
    if (namespaces.size() > 1) {
        return not_usable("this chart is for several namespaces",
                          fmt::format("{}", fmt::join(namespaces, ", ")),
                          "\"namespace\" beside \"helmCharts\", in a kustomization for each");
    }
    return std::nullopt;
}

bool is_chart(const repo::SourceTree& tree, const std::string& dir) {
    return tree.kind(repo::join_path(dir, "Chart.yaml")) == repo::EntryKind::File;
}

std::string version_of(const repo::SourceTree& tree, const std::string& chart) {
    const Result<std::string> text = tree.read(repo::join_path(chart, "Chart.yaml"));
    const Value root = text ? read_text(*text) : Value();
    return std::string(spelling_of(root.find("version")));
}

}  // namespace

std::string chart_home_dir(const repo::SourceTree& tree, const Value& kustomization,
                           const std::string& dir, const ChartRelease& chart) {
    const std::string_view home = text_of(kustomization, {"helmGlobals", "chartHome"});
    const std::string charts = repo::join_path(dir, home.empty() ? "charts" : home);
    std::string fetched = repo::normal_path(
        fmt::format("{}/{}-{}/{}", charts, chart.chart, chart.version, chart.chart));
    if (is_chart(tree, fetched)) {
        return fetched;
    }
    std::string any = repo::normal_path(fmt::format("{}/{}", charts, chart.chart));
    const bool takes_any = chart.version.empty() || chart.address.repository.empty();
    return is_chart(tree, any) && (takes_any || is_in_range(version_of(tree, any), chart.version))
               ? any
               : std::string();
}

std::string chart_of_kustomization(std::string_view path, std::string_view chart) {
    return fmt::format("{} {}", path, chart);
}

InflatedTree::InflatedTree(const repo::SourceTree& tree, KustomizationReader& reader,
                           const BuildFiles& files, const std::string& root, SourceMap& sources,
                           std::string_view version, ChartTemplates& charts,
                           const repo::TextTest& matters) {
    const bool helm_says_namespaces =
        is_in_range(version.substr(version.starts_with('v') ? 1 : 0), ">=5.8.0");
    const Namespaces namespaces(reader, files);
    std::map<std::string, std::string> made;
    std::set<std::string> made_by_helm;
    for (const std::string& path : files.paths) {
        const Kustomization* file = reader.find_file(path);
        if (file == nullptr || file->root.find(kCharts) == nullptr) {
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
            std::set<std::string> above = {release.ns};
            if (helm_says_namespaces && release.ns.empty()) {
                above = namespaces.of(file->dir);
                release.ns = *above.begin();
            }
            Result<std::optional<std::string>> text =
                installs_operator_alone(tree, release) || !given.lacking.empty()
                    ? Result(std::optional<std::string>())
                    : charts.render(release, given.layers, matters);
            if (text && *text) {
                if (std::optional<Diagnostic> refused = refusal(given, above)) {
                    text = Error{std::move(*refused)};
                }
            }
            if (!text) {
                failures.push_back(std::move(text.error().diagnostic));
                failures.back().pos = release.pos;
                failures.back().severity = failures.back().rule == "chart-not-usable"
                                               ? Severity::Error
                                               : severity_of(failures.back());
            }
            if (!text || !*text) {
                left.append(entries[i].clone());
                continue;
            }
            const std::string name = fmt::format("tailrender-chart-{}.yaml", i);
            made[repo::join_path(file->dir, name)] = std::move(**text);
            if (helm_says_namespaces) {
                made_by_helm.insert(repo::join_path(file->dir, name));
            }
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
        overlay_ = std::make_unique<repo::OverlayTree>(tree, std::move(made));
        reader_ = std::make_unique<KustomizationReader>(*overlay_, sources, std::string(),
                                                        reader.local());
        reader_->made_by_helm = std::move(made_by_helm);
    }
}

}  // namespace renderer::engines
