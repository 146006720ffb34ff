#include "renderer/load/charts/inflated_tree.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/charts/chart_values.h"
#include "renderer/load/charts/operator_dependency.h"
#include "renderer/load/charts/version_range.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::string_view kCharts = "helmCharts";
constexpr std::string_view kMadeByHelm = "internal.config.kubernetes.io/helm-generated";

// Kustomize takes the mark away itself.
void mark(Value& object) {
    if (!object.is_map()) {
        return;
    }
    Value* items = object.find("items");
    if (text_of(object, {"kind"}).ends_with("List") && items != nullptr && items->is_list()) {
        for (Value& item : items->items()) {
            mark(item);
        }
        return;
    }
    for (Value* above = &object; const std::string_view field : {"metadata", "annotations"}) {
        Value* found = above->find(field);
        above = found != nullptr && found->is_map() ? found : &above->put(field, Value::map());
        if (field == "annotations") {
            above->put(kMadeByHelm, "true");
        }
    }
}

std::string marked(std::string text) {
    SourceMap sources;
    const SourceId source = sources.add("", std::move(text));
    std::string out;
    for (const ScannedDocument& document : scan_documents(sources, source)) {
        Diagnostics mistakes;
        Value object = read_yaml(sources, source, document.range, mistakes);
        if (mistakes.has_errors()) {
            return std::string(sources.text(source));  // kustomize says what is wrong
        }
        if (object.is_map()) {
            mark(object);
            out += "---\n";
            write_yaml(object, out);
        }
    }
    return out;
}

// Of kustomizations that set none, the namespace of the nearest that names them.
class Namespaces {
public:
    Namespaces(KustomizationReader& reader, const BuildFiles& files) : reader_(reader) {
        for (const std::string& path : files.paths) {
            const std::string dir = parent_path(path);
            const Kustomization* file = reader.find(dir);
            if (file == nullptr || file->path != path || !file->root.is_map()) {
                continue;
            }
            for (const std::string_view field : {"resources", "components", "bases"}) {
                for (const Value& entry : items_of(file->root.find(field))) {
                    above_.emplace(normal_path(join_path(dir, text_of(&entry))), dir);
                }
            }
        }
    }

    [[nodiscard]] std::string of(std::string dir) const {
        for (std::size_t i = 0; i <= above_.size(); ++i) {
            const Kustomization* file = reader_.find(dir);
            const std::string_view ns = file == nullptr || !file->root.is_map()
                                            ? std::string_view()
                                            : text_of(file->root, {"namespace"});
            const auto above = above_.find(dir);
            if (!ns.empty() || above == above_.end()) {
                return std::string(ns);
            }
            dir = above->second;
        }
        return {};
    }

private:
    KustomizationReader& reader_;
    std::map<std::string, std::string> above_;
};

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
                           std::string_view version, ChartTemplates& charts,
                           bool (*matters)(std::string_view)) {
    const bool helm_says_namespaces =
        is_in_range(version.substr(version.starts_with('v') ? 1 : 0), ">=5.8.0");
    const Namespaces namespaces(reader, files);
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
            if (helm_says_namespaces && release.ns.empty()) {
                release.ns = namespaces.of(file->dir);
            }
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
            made[join_path(file->dir, name)] =
                helm_says_namespaces ? marked(std::move(**text)) : std::move(**text);
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
