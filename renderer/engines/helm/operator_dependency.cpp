#include "renderer/engines/helm/operator_dependency.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/helm/version_range.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kDeepestDependency = 8;
constexpr std::string_view kDependencies = "charts/";
constexpr std::string_view kTemplates = "templates/";

std::string_view values_key(const Value& dependency) {
    const std::string_view alias = text_of(dependency, {"alias"});
    return alias.empty() ? text_of(dependency, {"name"}) : alias;
}

// Returns the lowest version that a range names: "1.98.0" for "~1.98.x".
std::string lowest_of(std::string_view range) {
    const std::size_t begin = std::min(range.find_first_of("0123456789"), range.size());
    const std::size_t end = range.find_first_not_of("0123456789.", begin);
    std::string version(range.substr(begin, end == std::string_view::npos ? end : end - begin));
    while (version.ends_with('.')) {
        version.pop_back();
    }
    if (version.empty()) {
        version = "0";
    }
    for (auto dots = std::ranges::count(version, '.'); dots < 2; ++dots) {
        version += ".0";
    }
    return version;
}

// Returns the version in a Chart.lock, "" if it has none.
std::string locked_version(const Value& lock, std::string_view name) {
    for (const Value& dependency : items_of(lock.at({"dependencies"}))) {
        if (text_of(dependency, {"name"}) == name) {
            return std::string(scalar_text(dependency.find("version")));
        }
    }
    return {};
}

// ---- in the tree

class Finder {
public:
    Finder(const repo::SourceTree& tree, std::string root) : tree_(tree), root_(std::move(root)) {}

    void find(const std::string& dir, const std::vector<DependencyStep>& above) {
        const Value chart = read_chart(tree_, repo::join_path(dir, kChartFile));
        if (!chart.is_map() || above.size() == kDeepestDependency) {
            return;
        }
        bool is_listed = false;
        for (const Value& dependency : items_of(chart.find("dependencies"))) {
            is_listed = is_listed || text_of(dependency, {"name"}) == kOperatorChart;
            take(dependency, dir, above);
        }
        // helm uses charts in `charts` even if they are not listed.
        if (!is_listed && !vendored_version(dir).empty()) {
            take(Value::map({{"name", Value(kOperatorChart)}}), dir, above);
        }
    }

    std::vector<OperatorDependency> found;

private:
    [[nodiscard]] bool is_chart(const std::string& dir) const {
        return repo::is_within(tree_.real_path(dir), tree_.real_path(root_)) &&
               tree_.kind(repo::join_path(dir, kChartFile)) == repo::EntryKind::File;
    }

    // Returns the version of the operator's chart in `charts`, "" if there is none.
    [[nodiscard]] std::string vendored_version(const std::string& dir) const {
        const std::string charts = repo::join_path(dir, "charts");
        const std::string copy = repo::join_path(charts, kOperatorChart);
        if (is_chart(copy)) {
            return std::string(
                scalar_text(read_chart(tree_, repo::join_path(copy, kChartFile)).at({"version"})));
        }
        if (tree_.kind(charts) == repo::EntryKind::Directory) {
            if (const Result<std::vector<repo::Entry>> entries = tree_.list(charts)) {
                for (const repo::Entry& entry : *entries) {
                    if (const std::string_view version = version_in(entry.name, kOperatorChart);
                        !version.empty()) {
                        return std::string(version);
                    }
                }
            }
        }
        return {};
    }

    // Returns the directory of a dependency in the tree, "" if it is not there.
    [[nodiscard]] std::string dir_of(const Value& dependency, const std::string& dir) const {
        const std::string_view name = text_of(dependency, {"name"});
        const std::string_view repository = text_of(dependency, {"repository"});
        std::string copy = repo::join_path(repo::join_path(dir, "charts"), name);
        if (!name.empty() && is_chart(copy)) {
            return copy;
        }
        std::string path =
            repository.starts_with(kLocalChart)
                ? repo::normal_path(repo::join_path(dir, repository.substr(kLocalChart.size())))
                : std::string();
        return !path.empty() && is_chart(path) ? path : std::string();
    }

    void take(const Value& dependency, const std::string& dir, std::vector<DependencyStep> steps) {
        const std::string below = dir_of(dependency, dir);
        DependencyStep& step = steps.emplace_back();
        step.key = values_key(dependency);
        step.condition = text_of(dependency, {"condition"});
        for (const Value& tag : items_of(dependency.find("tags"))) {
            step.tags.emplace_back(text_of(tag));
        }
        if (!below.empty()) {
            step.values_file = repo::join_path(below, "values.yaml");
        }
        const Value chart =
            below.empty() ? Value() : read_chart(tree_, repo::join_path(below, kChartFile));
        const bool is_operator = below.empty() ? text_of(dependency, {"name"}) == kOperatorChart
                                               : is_operator_itself(chart);
        if (!is_operator) {
            if (!below.empty()) {
                find(below, steps);
            }
            return;
        }
        std::string version = vendored_version(dir);
        if (version.empty() && !below.empty()) {
            version = scalar_text(chart.at({"version"}));
        }
        if (version.empty()) {
            version = locked_version(read_chart(tree_, repo::join_path(dir, "Chart.lock")),
                                     kOperatorChart);
        }
        if (version.empty()) {
            version = scalar_text(dependency.find("version"));
        }
        found.push_back({.steps = std::move(steps), .version = std::move(version)});
    }

    const repo::SourceTree& tree_;
    std::string root_;
};

// ---- values

// Returns the value at a dotted path in the highest layer that has it, or nullptr.
const Value* value_at(const std::vector<Value>& layers, std::string_view path) {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        const Value* value = &*layer;
        for (const std::string_view key : split(path, '.')) {
            value = value != nullptr && value->is_map() ? value->find(key) : nullptr;
            if (value != nullptr && value->is_null()) {
                return nullptr;  // null deletes the value of lower layers
            }
        }
        if (value != nullptr) {
            return value;
        }
    }
    return nullptr;
}

bool is_enabled(const DependencyStep& step, const std::vector<Value>& layers,
                const std::vector<Value>& all) {
    bool any_true = false;
    bool any_false = false;
    for (const std::string& tag : step.tags) {
        const Value* value = value_at(all, "tags." + tag);
        any_true = any_true || (value != nullptr && value->is_bool() && value->as_bool());
        any_false = any_false || (value != nullptr && value->is_bool() && !value->as_bool());
    }
    for (const std::string_view path : split(step.condition, ',')) {
        const Value* value = value_at(layers, path);
        if (value != nullptr && value->is_bool()) {
            return value->as_bool();
        }
    }
    return any_true || !any_false;
}

void erase_deep(Value& value, const std::set<std::string>& keys) {
    if (value.is_list()) {
        for (Value& item : value.items()) {
            erase_deep(item, keys);
        }
    }
    if (value.is_map()) {
        for (const std::string& key : keys) {
            value.erase(key);
        }
        for (Member& member : value.members()) {
            erase_deep(member.value, keys);
        }
    }
}

bool any_own(const Value& layer, const std::set<std::string>& keys, const repo::TextTest& matters) {
    Value own = layer.clone();
    erase_deep(own, keys);
    std::string text;
    write_yaml(own, text);
    return matters(text);
}

// ---- files of a chart

// For a file of the operator's chart below `chart/charts/`, returns that prefix and the path within
// the operator's chart, which is "" for an archive.
std::optional<std::pair<std::string, std::string>> place_in_operator(const std::string& path) {
    for (std::size_t at = path.find("/charts/"); at != std::string::npos;
         at = path.find("/charts/", at + 1)) {
        const std::string_view rest = std::string_view(path).substr(at + 1 + kDependencies.size());
        if (rest.starts_with(fmt::format("{}/", kOperatorChart))) {
            return std::pair(path.substr(0, at + 1 + kDependencies.size()),
                             std::string(rest.substr(kOperatorChart.size() + 1)));
        }
        if (rest.find('/') == std::string_view::npos && !version_in(rest, kOperatorChart).empty()) {
            return std::pair(path.substr(0, at + 1 + kDependencies.size()), std::string());
        }
    }
    return {};
}

bool is_kept(std::string_view path) {
    return path == kChartFile || path == "values.yaml" ||
           (path.starts_with(kTemplates) && repo::base_name(path).starts_with('_'));
}

std::string empty_chart(std::string_view version) {
    return fmt::format("apiVersion: v2\nname: {}\nversion: {}\n", kOperatorChart, version);
}

// Processes the dependencies of one Chart.yaml.
void add_missing(const std::string& path, ChartSource& chart) {
    const std::string charts =
        path.substr(0, path.size() - kChartFile.size()) + std::string(kDependencies);
    const Value root = read_text(chart.files[path]);
    const std::string copy = fmt::format("{}{}/{}", charts, kOperatorChart, kChartFile);
    for (const Value& dependency : items_of(root.at({"dependencies"}))) {
        if (text_of(dependency, {"name"}) != kOperatorChart) {
            continue;
        }
        chart.operator_keys.emplace(values_key(dependency));
        const bool is_local = text_of(dependency, {"repository"}).starts_with(kLocalChart);
        if (is_local || chart.files.contains(copy)) {
            continue;
        }
        const std::string_view range = scalar_text(dependency.find("version"));
        const auto lock =
            chart.files.find(path.substr(0, path.size() - kChartFile.size()) + "Chart.lock");
        std::string version = lock == chart.files.end()
                                  ? std::string()
                                  : locked_version(read_text(lock->second), kOperatorChart);
        if (version.empty() || !is_in_range(version, range)) {
            version = lowest_of(range);
        }
        chart.files[copy] = empty_chart(version);
    }
}

}  // namespace

bool is_operator_itself(const Value& chart) {
    return text_of(chart, {"name"}) == kOperatorChart &&
           items_of(chart.at({"dependencies"})).empty();
}

bool installs_operator_alone(const repo::SourceTree& tree, const ChartRelease& release) {
    const std::string file = repo::join_path(release.dir, kChartFile);
    return !release.dir.empty() && tree.kind(file) == repo::EntryKind::File
               ? is_operator_itself(read_chart(tree, file))
               : is_operator_chart(release.chart);
}

std::vector<OperatorDependency> operator_dependencies(const repo::SourceTree& tree,
                                                      const std::string& root,
                                                      const std::string& dir) {
    Finder finder(tree, repo::normal_path(root));
    finder.find(dir, {});
    return std::move(finder.found);
}

std::optional<std::vector<Value>> operator_values(const repo::SourceTree& tree,
                                                  const OperatorDependency& dependency,
                                                  const std::vector<Value>& layers,
                                                  SourceMap& sources) {
    std::vector<Value> current;
    current.reserve(layers.size());
    for (const Value& layer : layers) {
        current.push_back(layer.clone());
    }
    for (const DependencyStep& step : dependency.steps) {
        if (!is_enabled(step, current, layers)) {
            return {};
        }
        std::vector<Value> below;
        below.push_back(Value::map());
        if (!step.values_file.empty() && tree.kind(step.values_file) == repo::EntryKind::File) {
            if (Result<std::string> text = tree.read(step.values_file)) {
                Diagnostics discarded;
                const SourceId source = sources.add(step.values_file, std::move(*text));
                Value defaults = read_yaml(sources, source, discarded, Repeated::AsHelm);
                if (defaults.is_map()) {
                    below.front() = std::move(defaults);
                }
            }
        }
        for (const Value& layer : current) {
            const Value* own = layer.find(step.key);
            below.push_back(own != nullptr && own->is_map() ? own->clone() : Value::map());
        }
        current = std::move(below);
    }
    return current;
}

void replace_operator(ChartSource& chart) {
    std::set<std::string> copies;  // directories of the operator's chart
    for (const auto& [path, text] : chart.files) {
        const auto place = place_in_operator(path);
        if (place && place->second == kChartFile && is_operator_itself(read_text(text))) {
            copies.insert(place->first);
        }
    }
    std::map<std::string, std::string> made;
    for (auto file = chart.files.begin(); file != chart.files.end();) {
        const auto place = place_in_operator(file->first);
        const bool is_archive = place && place->second.empty();
        const bool is_left_out =
            is_archive || (place && copies.contains(place->first) && !is_kept(place->second));
        if (is_archive) {
            const std::string_view version =
                version_in(repo::base_name(file->first), kOperatorChart);
            made[fmt::format("{}{}/{}", place->first, kOperatorChart, kChartFile)] =
                empty_chart(version);
        }
        if (is_archive || (place && copies.contains(place->first))) {
            chart.operator_keys.emplace(kOperatorChart);
        }
        file = is_left_out ? chart.files.erase(file) : std::next(file);
    }
    chart.files.merge(made);
    std::vector<std::string> charts;
    for (const auto& [path, text] : chart.files) {
        if (repo::base_name(path) == kChartFile && text.find(kOperatorChart) != std::string::npos) {
            charts.push_back(path);
        }
    }
    for (const std::string& path : charts) {
        add_missing(path, chart);
    }
}

bool empty_operator(ChartSource& chart) {
    const auto file = chart.files.find(repo::join_path(chart.entry, kChartFile));
    if (chart.is_archive() || file == chart.files.end() ||
        !is_operator_itself(read_text(file->second))) {
        return false;
    }
    std::erase_if(chart.files, [&](const auto& one) {
        return !is_kept(std::string_view(one.first).substr(chart.entry.size() + 1));
    });
    return true;
}

bool makes_objects(const ChartSource& chart) {
    return std::ranges::any_of(chart.files, [&](const auto& file) {
        const auto place = place_in_operator(file.first);
        const std::string_view path = std::string_view(file.first).substr(chart.entry.size());
        return !place && (path.find("/templates/") != std::string_view::npos ||
                          path.find("/crds/") != std::string_view::npos || path.ends_with(".tgz"));
    });
}

bool has_own_matter(const ChartSource& chart, const std::vector<Value>& values,
                    const repo::TextTest& matters) {
    const std::set<std::string>& keys = chart.operator_keys;
    return std::ranges::any_of(values,
                               [&](const Value& layer) { return any_own(layer, keys, matters); }) ||
           std::ranges::any_of(chart.files, [&](const auto& file) {
               const std::string_view name = repo::base_name(file.first);
               if (name == "values.yaml") {
                   return any_own(read_text(file.second), keys, matters);
               }
               const bool is_template = file.first.find("/templates/") != std::string::npos;
               const bool is_about =
                   name == "NOTES.txt" || place_in_operator(file.first) ||
                   (!is_template && (name.starts_with("Chart.") || name.starts_with("values") ||
                                     name.ends_with(".md")));
               return !is_about && matters(file.second);
           });
}

}  // namespace renderer::engines
