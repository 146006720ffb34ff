#include "renderer/load/release_objects.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/base/sha256.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/chart_releases.h"
#include "renderer/engines/flux/flux_revisions.h"
#include "renderer/engines/flux/helm_release.h"
#include "renderer/engines/helm/chart_source.h"
#include "renderer/repo/paths.h"

namespace renderer::load {

namespace {

// Returns the text of a key of a Secret, or of the ExternalSecret that creates it.
Value secret_text(const Value& root, const std::string& key) {
    Value text;
    if (text_of(root, {"kind"}) == "ExternalSecret") {
        if (const Value* template_text = root.at({"spec", "target", "template", "data", key})) {
            text = engines::with_hidden_templates(text_of(template_text));
            text.set_pos(template_text->pos());
        }
    } else if (const Value* plain = root.at({"stringData", key})) {
        text = plain->clone();
    } else if (const Value* encoded = root.at({"data", key})) {
        if (const std::optional<std::string> decoded = decode_base64(text_of(encoded))) {
            text = Value(*decoded);
            text.set_pos(encoded->pos());
        }
    }
    return text_of(text).starts_with("ENC[") ? Value() : std::move(text);
}

// True if this object is the source, or creates it.
bool makes(const Value& root, std::string_view kind, std::string_view object_name,
           const engines::ValuesSource& source) {
    if (!source.is_secret) {
        return kind == "ConfigMap" && object_name == source.name;
    }
    const std::string_view target =
        kind == "ExternalSecret" ? text_of(root, {"spec", "target", "name"}) : std::string_view();
    return (kind == "Secret" || kind == "ExternalSecret" || kind == "SealedSecret") &&
           (target.empty() ? object_name : target) == source.name;
}

// Returns the text that the source names: of an object in namespace `ns`, that of the object with
// the release, or in one that is not known. An applied object comes before others.
engines::HeldText held_text(const Loaded& loaded, const engines::ValuesSource& source,
                            std::string_view ns) {
    engines::HeldText found;
    int best = -1;
    const auto take = [&](const Value& root, std::string_view own, bool is_applied,
                          std::string_view kept) {
        if (!own.empty() && !ns.empty() && own != ns) {
            found.elsewhere = own;
            return;
        }
        found.is_there = true;
        const Value* data = root.at({"data", source.key});
        Value text = source.is_secret  ? secret_text(root, source.key)
                     : data == nullptr ? Value()
                                       : data->clone();
        const int rank = (own == ns ? 2 : 0) + (is_applied ? 1 : 0);
        if (!text.is_null() && rank > best) {
            found.text = std::move(text);
            found.kept = kept;
            best = rank;
        }
    };
    for (const Document& document : loaded.documents) {
        const std::string_view kind = text_of(document.kind);
        if (document.is_unapplied || (kind != "ConfigMap" && !kind.ends_with("Secret"))) {
            continue;
        }
        Diagnostics discarded;
        const Value root = read_document(loaded, document, discarded);
        if (makes(root, kind, text_of(document.name), source)) {
            take(root, document.effective_namespace, document.reachable,
                 kept_reason(loaded, document));
        }
    }
    for (const Object& object : loaded.generated_inputs) {
        if (makes(object.root, object.kind(), object.name(), source)) {
            take(object.root, object.ns(), true, {});
        }
    }
    return found;
}

// Returns an applied object; Null if there is none. `ns` is its namespace, "" for any.
Value named(const Loaded& loaded, std::string_view kind, std::string_view name,
            std::string_view ns) {
    for (const Document& document : loaded.documents) {
        if (document.reachable && text_of(document.kind) == kind &&
            text_of(document.name) == name && (ns.empty() || document.effective_namespace == ns)) {
            Diagnostics discarded;
            return read_document(loaded, document, discarded);
        }
    }
    return {};
}

// Returns the version that `ref` of a source names: by its name, else its range, else its tag.
std::string version_in_ref(const Value& source) {
    const std::string_view name = text_of(source, {"spec", "ref", "name"});
    if (!name.empty()) {
        return std::string(engines::tag_of_ref(name));
    }
    const std::string_view range = text_of(source, {"spec", "ref", "semver"});
    return std::string(range.empty() ? text_of(source, {"spec", "ref", "tag"}) : range);
}

// In `ref`, the digest has precedence.
void set_reference(const Value& source, engines::ChartRelease& release) {
    if (!source.is_map()) {
        release.address.unknown = fmt::format("no OCIRepository {} in the tree", release.chart);
        return;
    }
    const std::string_view digest = text_of(source, {"spec", "ref", "digest"});
    release.chart = text_of(source, {"spec", "url"});
    release.version = version_in_ref(source);
    release.address = {.chart = release.chart, .version = release.version};
    if (!digest.empty()) {
        release.address = {.chart = fmt::format("{}@{}", release.chart, digest)};
    }
}

// Sets the chart that Flux's HelmChart names.
void set_chart_object(const Loaded& loaded, engines::ChartRelease& release) {
    const std::string ns = release.source_namespace;
    const Value source = named(loaded, "HelmChart", release.chart, ns);
    const Value* spec = source.is_map() ? source.find("spec") : nullptr;
    if (spec == nullptr) {
        release.address.unknown = fmt::format("no HelmChart {} in the tree", release.chart);
        return;
    }
    engines::set_chart(*spec, ns, release);
}

}  // namespace

std::vector<engines::ChartRelease> releases_of(const Document& document, const Value& object,
                                               const std::string& root,
                                               const std::set<std::string>& foreign_sources,
                                               Loaded& loaded) {
    const Value config =
        text_of(document.kind) == "HelmChart"
            ? named(loaded, "HelmChartConfig", text_of(document.name), document.effective_namespace)
            : Value();
    std::vector<engines::ChartRelease> releases = engines::chart_releases(
        object, document.effective_namespace, loaded.sources, config.is_map() ? &config : nullptr);
    for (engines::ChartRelease& release : releases) {
        release.unit = unit_of(loaded, document.source);
        release.kept = kept_reason(loaded, document);
        if (release.is_reference && text_of(object, {"spec", "chartRef", "kind"}) == "HelmChart") {
            set_chart_object(loaded, release);
        } else if (release.is_reference) {
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
            release.dir = repo::normal_path(repo::join_path(root, release.chart));
            release.files_dir = repo::normal_path(root);
            continue;
        }
        if (!release.source.empty()) {
            release.version = version_in_ref(
                named(loaded, "GitRepository", release.source, release.source_namespace));
        }
        if (release.replaces_defaults) {
            for (engines::ValuesFile& file : release.values_files) {
                file.elsewhere = engines::kOfChart;
            }
            if (!engines::is_operator_chart(release.chart)) {
                release.values_files.clear();
            }
            release.unknown = "valuesFiles of a chart that is not in the tree";
        }
    }
    return releases;
}

engines::Standing release_standing(std::string name, engines::Liveness liveness, std::string reason,
                                   const engines::AppliedUnit& unit) {
    return {.name = std::move(name),
            .liveness = liveness,
            .reason = std::move(reason),
            .is_release = true,
            .cluster = unit.cluster};
}

void note_packed_version(const repo::SourceTree& tree, const engines::ChartRelease& release,
                         const engines::ChartValues& values, Loaded& loaded) {
    if (!release.is_packed_by_version || release.dir.empty()) {
        return;
    }
    // Flux packs it at once if another chart, source or list of files is named, and installs it
    // again under another name.
    std::string text = fmt::format("{} {}/{} {}/{}", release.chart, release.source_namespace,
                                   release.source, release.ns, release.name);
    for (const engines::ValuesFile& file : release.values_files) {
        text += fmt::format(" {}", file.path);
    }
    for (const Value& layer : std::span(values.layers).subspan(values.packed)) {
        write_yaml(layer, text);
    }
    const Value chart =
        engines::read_chart(tree, repo::join_path(release.dir, engines::kChartFile));
    loaded.standings.revisions.emplace(
        engines::unit_of_object(*release.unit, release.object, release.kept).path,
        fmt::format("{}{}, values {}", engines::kChartRevision, spelling_of(chart.at({"version"})),
                    sha256_hex(text).substr(0, kDigestLength)));
}

engines::ChartValues chart_values(const repo::SourceTree& tree, const std::string& root,
                                  const engines::ChartRelease& release, Loaded& loaded) {
    return engines::chart_values(tree, root, release, loaded.sources,
                                 [&](const engines::ValuesSource& source) {
                                     return held_text(loaded, source, release.object_ns);
                                 });
}

}  // namespace renderer::load
