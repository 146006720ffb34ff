#include "renderer/load/charts/chart_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/values/values.h"

namespace renderer {

namespace {

// Of the release's namespace, else the first one; what is applied comes before what is not.
std::optional<std::string> config_map_text(const Loaded& loaded, const ValuesSource& source,
                                           std::string_view ns) {
    std::optional<std::string> found;
    int best = -1;
    const auto take = [&](const Value& root, std::string_view own, bool is_applied) {
        const Value* data = root.at({"data", source.key});
        const int rank = (own == ns ? 2 : 0) + (is_applied ? 1 : 0);
        if (data != nullptr && rank > best) {
            found = std::string(spelling_of(*data));
            best = rank;
        }
    };
    for (const Document& document : loaded.documents) {
        if (text_of(document.kind) == "ConfigMap" && text_of(document.name) == source.name) {
            Diagnostics unheard;
            take(read_document(loaded, document, unheard), document.effective_namespace,
                 document.reachable);
        }
    }
    for (const Object& object : loaded.generated_inputs) {
        if (object.kind() == "ConfigMap" && object.name() == source.name) {
            take(object.root, object.ns(), true);
        }
    }
    return found;
}

// An object that is applied; Null when there is none. `ns`: "" = of any namespace.
Value named(const Loaded& loaded, std::string_view kind, std::string_view name,
            std::string_view ns) {
    for (const Document& document : loaded.documents) {
        if (document.reachable && text_of(document.kind) == kind &&
            text_of(document.name) == name && (ns.empty() || document.effective_namespace == ns)) {
            Diagnostics unheard;
            return read_document(loaded, document, unheard);
        }
    }
    return {};
}

// The file of the tree that the release means; none when it is not there, which the engine may
// miss.
std::optional<std::string> file_of(const SourceTree& tree, const std::string& root,
                                   const ChartRelease& release, const std::string& spelled,
                                   ChartValues& out) {
    const std::string top = normal_path(root);
    const std::string dir = release.files_dir.empty() ? top : release.files_dir;
    // `$ref/x` and `/x` begin at the top of a repository.
    const bool is_absolute = spelled.starts_with('$') || spelled.starts_with('/');
    const std::size_t slash = std::min(spelled.find('/'), spelled.size());
    std::string path = normal_path(
        is_absolute ? join_path(top, spelled.substr(std::min(slash + 1, spelled.size())))
                    : join_path(dir, spelled));
    const bool is_inside = is_within(tree.real_path(path), tree.real_path(top));
    if (!spelled.empty() && is_inside && tree.kind(path) == EntryKind::File) {
        out.files.push_back(path);
        return path;
    }
    return {};
}

void add_files(const SourceTree& tree, const std::string& root, const ChartRelease& release,
               const std::vector<std::string>& files, SourceMap& sources, ChartValues& out) {
    for (const std::string& spelled : files) {
        if (const auto path = file_of(tree, root, release, spelled, out)) {
            Diagnostics unheard;
            add_values_file(tree, *path, {}, sources, out.layers, unheard);
        } else if (!spelled.empty() && release.needs_files && out.lacking.empty()) {
            out.lacking = fmt::format("no values file {}", spelled);
        }
    }
}

void add_text_files(const SourceTree& tree, const std::string& root, const ChartRelease& release,
                    SourceMap& sources, ChartValues& out) {
    for (const TextFile& file : release.text_files) {
        const auto path = file_of(tree, root, release, file.path, out);
        const Result<std::string> text = tree.read(path.value_or(""));
        if (path && text) {
            add_text_set(file.target, *text, sources, out.layers);
        } else if (out.lacking.empty()) {
            out.lacking = fmt::format("no file {} of a parameter", file.path);
        }
    }
}

void add_own(const ChartRelease& release, ChartValues& out) {
    for (const Value& layer : release.values) {
        out.layers.push_back(layer.clone());
    }
}

void add_config_map(const ValuesSource& source, const ChartRelease& release, Loaded& loaded,
                    ChartValues& out) {
    const std::optional<std::string> text = config_map_text(loaded, source, release.ns);
    if (!text) {
        if (!source.is_optional && out.lacking.empty()) {
            out.lacking = fmt::format("no {} in a ConfigMap {}", source.key, source.name);
        }
        return;
    }
    std::vector<Value>& layers = out.layers;
    Diagnostics unheard;
    if (!source.target.empty()) {
        add_sets({fmt::format("{}={}", source.target, *text)}, loaded.sources, layers, unheard);
        return;
    }
    const SourceId id =
        loaded.sources.add(fmt::format("{} of ConfigMap {}", source.key, source.name), *text);
    Value values = read_yaml(loaded.sources, id, unheard);
    if (values.is_map() && !unheard.has_errors()) {
        layers.push_back(std::move(values));
    }
}

// Of `ref`, the digest counts, else the range, else the tag.
void set_reference(const Value& source, ChartRelease& release) {
    if (!source.is_map()) {
        release.address.unknown = fmt::format("no OCIRepository {} in the tree", release.chart);
        return;
    }
    const std::string_view range = text_of(source, {"spec", "ref", "semver"});
    const std::string_view digest = text_of(source, {"spec", "ref", "digest"});
    release.chart = text_of(source, {"spec", "url"});
    release.version = range.empty() ? text_of(source, {"spec", "ref", "tag"}) : range;
    release.address = {.chart = release.chart, .version = release.version};
    if (!digest.empty()) {
        release.address = {.chart = fmt::format("{}@{}", release.chart, digest)};
    }
}

}  // namespace

std::vector<ChartRelease> releases_of(const Document& document, const std::string& root,
                                      const std::set<std::string>& foreign_sources,
                                      Loaded& loaded) {
    Diagnostics unheard;
    const Value object = read_document(loaded, document, unheard);
    const Value config =
        text_of(document.kind) == "HelmChart"
            ? named(loaded, "HelmChartConfig", text_of(document.name), document.effective_namespace)
            : Value();
    std::vector<ChartRelease> releases = chart_releases(
        object, document.effective_namespace, loaded.sources, config.is_map() ? &config : nullptr);
    for (ChartRelease& release : releases) {
        if (release.is_reference) {
            Value source = named(loaded, "OCIRepository", release.chart, release.source_namespace);
            if (source.is_null()) {
                source = named(loaded, "OCIRepository", release.chart, {});
            }
            set_reference(source, release);
        }
        if (!release.repository.empty()) {
            Value source =
                named(loaded, "HelmRepository", release.repository, release.source_namespace);
            release.address.repository = text_of(source, {"spec", "url"});
            if (release.address.repository.empty()) {
                release.address.unknown =
                    fmt::format("no HelmRepository {} in the tree", release.repository);
            }
        }
        if (!release.source.empty() && !foreign_sources.contains(release.source)) {
            release.dir = normal_path(join_path(root, release.chart));
            release.files_dir = normal_path(root);
        } else if (release.replaces_defaults) {
            release.values_files.clear();
            release.unknown = "valuesFiles of a chart that is not in the tree";
        }
    }
    return releases;
}

ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources) {
    ChartValues out;
    add_files(tree, root, release, release.values_files, sources, out);
    add_own(release, out);
    add_files(tree, root, release, release.later_files, sources, out);
    add_text_files(tree, root, release, sources, out);
    return out;
}

ChartValues chart_values(const SourceTree& tree, const std::string& root,
                         const ChartRelease& release, Loaded& loaded) {
    ChartValues out;
    add_files(tree, root, release, release.values_files, loaded.sources, out);
    for (const ValuesSource& source : release.values_from) {
        add_config_map(source, release, loaded, out);
    }
    add_own(release, out);
    add_files(tree, root, release, release.later_files, loaded.sources, out);
    add_text_files(tree, root, release, loaded.sources, out);
    return out;
}

}  // namespace renderer
