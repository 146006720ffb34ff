#include "renderer/engines/fleet/fleet_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/fleet/cluster_match.h"
#include "renderer/engines/fleet/cluster_templates.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMaxReleaseName = 53;

Value& section(Value& map, std::string_view key) {
    Value* found = map.find(key);
    return found != nullptr && found->is_map() ? *found : map.put(Value(key), Value::map());
}

Value& list_in(Value& map, std::string_view key) {
    Value* found = map.find(key);
    return found != nullptr && found->is_list() ? *found : map.put(Value(key), Value::list());
}

// Overrides the base with strings that are not empty and flags that are set.
void put_given(Value& base, const Value& custom, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (!repo::text_of(custom, key).empty() || repo::flag_of(custom, key)) {
            base.put(Value(key), custom.find(key)->clone());
        }
    }
}

// A negative number removes the timeout of the base.
void merge_timeout(Value& base, const Value& custom) {
    constexpr std::string_view kKey = "timeoutSeconds";
    const std::int64_t seconds = repo::number_of(custom, kKey);
    if (seconds != 0) {
        base.put(kKey, std::max<std::int64_t>(seconds, 0));
    }
}

void merge_helm(Value& base, const Value& custom) {
    put_given(base, custom, {"repo", "chart", "version", "releaseName"});
    put_given(
        base, custom,
        {"atomic", "disableDNS", "disablePreProcess", "force", "takeOwnership", "waitForJobs"});
    merge_timeout(base, custom);
}

// Entries with the same values of `keys` replace each other.
void merge_list(Value& base, const Value& custom, std::string_view field,
                std::initializer_list<std::string_view> keys) {
    for (const Value& entry : repo::list_of(custom, field)) {
        Value& list = list_in(base, field);
        const auto same = std::ranges::find_if(list.items(), [&](const Value& other) {
            return std::ranges::all_of(keys, [&](std::string_view key) {
                return repo::text_of(other, key) == repo::text_of(entry, key);
            });
        });
        if (same == list.items().end()) {
            list.append(entry.clone());
        } else {
            *same = entry.clone();
        }
    }
}

// Fleet's Merge: scalars override if they are not empty, flags are or-ed, and some fields are not
// merged.
void merge_customization(Value& base, const Value& custom) {
    put_given(base, custom, {"defaultNamespace", "namespace", "serviceAccount"});
    if (const Value* helm = repo::map_of(custom, "helm")) {
        merge_helm(section(base, "helm"), *helm);
    }
    if (const Value* kustomize = repo::map_of(custom, "kustomize")) {
        put_given(section(base, "kustomize"), *kustomize, {"dir"});
    }
    if (const Value* diff = repo::map_of(custom, "diff")) {
        merge_list(section(base, "diff"), *diff, "comparePatches",
                   {"apiVersion", "kind", "namespace", "name"});
    }
    if (const Value* yaml = repo::map_of(custom, "yaml")) {
        Value& merged = section(base, "yaml");
        for (const Value& overlay : repo::list_of(*yaml, "overlays")) {
            list_in(merged, "overlays").append(overlay.clone());
        }
    }
    put_given(base, custom, {"keepResources"});
    if (const Value* drift = repo::map_of(custom, "correctDrift")) {
        base.put("correctDrift", drift->clone());
    }
    merge_list(base, custom, "downstreamResources", {"kind", "name"});
}

// Merges labels and annotations of the namespace. Fleet uses those of every target, even if it does
// not match (Fleet internal/cmd/controller/target/target.go).
void merge_namespace_metadata(Value& base, const Value& target) {
    for (const std::string_view field : {"namespaceLabels", "namespaceAnnotations"}) {
        for (const Member& entry : members_of(target.find(field))) {
            section(base, field).put(entry.key.clone(), entry.value.clone());
        }
    }
}

void add_helm(const Value& options, std::vector<const Value*>& sections) {
    if (const Value* helm = repo::map_of(options, "helm")) {
        sections.push_back(helm);
    }
}

// The GitRepo's value replaces that of a bundle, and a rendered bundle has no customizations.
void refuse_force_sync(const Value& custom, Diagnostics& diagnostics) {
    if (repo::number_of(custom, "forceSyncGeneration") > 0) {
        diagnostics
            .error("not-supported", custom.find("forceSyncGeneration")->pos(),
                   "\"forceSyncGeneration\" of a customization has no effect in a rendered bundle")
            .expected("spec.forceSyncGeneration of the GitRepo")
            .hint("remove it here");
    }
}

void decode_fleet_file(FleetFile& file, const Cluster& cluster, Diagnostics& diagnostics) {
    file.merged = file.root.clone();
    file.deployed = is_targeted(file.root, cluster, diagnostics);
    for (const Value* target : customizations_of(file.root)) {
        merge_namespace_metadata(file.merged, *target);
    }
    add_helm(file.root, file.helm);
    if (!file.deployed) {
        return;
    }
    for (const Value* custom : matching_customizations(file.root, cluster, diagnostics)) {
        file.deployed = file.deployed && !repo::flag_of(*custom, "doNotDeploy");
        add_helm(*custom, file.helm);
        refuse_force_sync(*custom, diagnostics);
        merge_customization(file.merged, *custom);
    }
}

// Returns the options for installing the release, without those for rendering it.
Value release_options(const FleetFile& fleet) {
    Value options = Value::map();
    const Value* helm = repo::map_of(fleet.merged, "helm");
    if (helm == nullptr) {
        return options;
    }
    const std::string_view release = repo::text_of(*helm, "releaseName");
    put_if(options, !release.empty(), "releaseName", release);
    for (const std::string_view key : {"maxHistory", "timeoutSeconds"}) {
        const std::int64_t number = repo::number_of(*helm, key);
        put_if(options, number != 0, key, number);
    }
    for (const std::string_view key : {"atomic", "disableDNS", "force", "skipSchemaValidation",
                                       "takeOwnership", "waitForJobs"}) {
        put_if(options, repo::flag_of(*helm, key), key, true);
    }
    return options;
}

// Returns the fleet.yaml of the rendered bundle. All decisions are made: the fields that select and
// render are left out, except for `kustomize` and the options for installing the release.
Value rendered_fleet(const FleetFile& fleet, const std::string& name) {
    constexpr std::array<std::string_view, 9> kGone = {"name",
                                                       "helm",
                                                       "yaml",
                                                       "kustomize",
                                                       "imageScans",
                                                       "targets",
                                                       "overrideTargets",
                                                       "targetCustomizations",
                                                       "targetCustomizationMode"};
    Value out = Value::map({{"name", name}});
    for (const Member& member : fleet.merged.members()) {
        if (std::ranges::find(kGone, member.name()) == kGone.end()) {
            out.add(member.key.clone(), member.value.clone());
        }
    }
    Value helm = release_options(fleet);
    if (helm.size() > 0) {
        out.add("helm", std::move(helm));
    }
    out.add("kustomize", Value::map({{"dir", "."}}));
    return out;
}

void refuse_offline(const Value& section, std::string_view key, Diagnostics& diagnostics) {
    const Member* member = section.find_member(key);
    if (member == nullptr ||
        (items_of(&member->value).empty() && members_of(&member->value).empty())) {
        return;
    }
    diagnostics
        .error("unknown-offline", member->key.pos(),
               fmt::format("\"{}\" is only known in the cluster", key))
        .expected("values in fleet.yaml or in valuesFiles")
        .hint("pass the same values with --values FILE, and remove it here");
}

void add_values_from(const Value& helm, std::vector<ValuesSource>& from) {
    for (const Value& entry : repo::list_of(helm, "valuesFrom")) {
        for (const std::string_view kind : {"configMapKeyRef", "secretKeyRef"}) {
            if (const Value* object = repo::map_of(entry, kind)) {
                const std::string_view key = repo::text_of(*object, "key");
                from.push_back({.name = std::string(repo::text_of(*object, "name")),
                                .key = std::string(key.empty() ? "values.yaml" : key),
                                .target = {},
                                .is_secret = kind == "secretKeyRef",
                                .pos = entry.pos()});
            }
        }
    }
}

}  // namespace

std::vector<const Value*> FleetFile::options() const {
    std::vector<const Value*> all = customizations_of(root);
    all.insert(all.begin(), &root);
    return all;
}

bool FleetFile::is_values_file(std::string_view relative) const {
    return std::ranges::any_of(values_files, [&](const std::string& entry) {
        return relative == entry || relative == repo::base_name(entry);
    });
}

std::string_view FleetFile::helm_text(std::string_view key) const {
    return text_of(merged.at({"helm", key}));
}

bool FleetFile::helm_flag(std::string_view key) const {
    const Value* section = repo::map_of(merged, "helm");
    return section != nullptr && repo::flag_of(*section, key);
}

bool FleetFile::has_chart() const {
    return !helm_text("chart").empty() || !helm_text("repo").empty();
}

bool FleetFile::is_operator_chart() const {
    std::string_view chart = helm_text("chart");
    if (chart.empty()) {
        chart = helm_text("repo");
    }
    return engines::is_operator_chart(chart);
}

std::string FleetFile::kustomize_dir() const {
    return repo::normal_path(text_of(merged.at({"kustomize", "dir"})));
}

FleetFile read_fleet(const repo::SourceTree& tree, const std::string& path, const Cluster& cluster,
                     SourceMap& sources, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    repo::ConfigFile config =
        repo::read_config(tree, path, fleet_schema(), "fleet.yaml", sources, diagnostics);
    FleetFile file{.pos = config.pos, .root = std::move(config.root)};
    for (const Value* options : file.options()) {
        for (const Value& entry : items_of(options->at({"helm", "valuesFiles"}))) {
            file.values_files.push_back(repo::normal_path(text_of(&entry)));
        }
    }
    if (!config.usable) {
        return file;
    }
    if (file.root.is_null()) {
        file.root = Value::map();
    }
    decode_fleet_file(file, cluster, diagnostics);
    file.usable = diagnostics.error_count() == before;
    return file;
}

Bundle make_bundle(const FleetFile& fleet, const std::string& dir,
                   const std::string& default_namespace, bool rendered) {
    Bundle bundle;
    bundle.dir = dir;
    bundle.name = repo::text_of(fleet.root, "name");
    bundle.name = bundle.name.empty() ? bundle_slug(dir) : bundle.name;
    bundle.pos = fleet.pos;
    bundle.default_namespace = repo::text_of(fleet.merged, "defaultNamespace");
    if (bundle.default_namespace.empty()) {
        bundle.default_namespace = default_namespace;
    }
    bundle.forced_namespace = repo::text_of(fleet.merged, "namespace");
    if (!bundle.forced_namespace.empty()) {
        bundle.forced_namespace_pos = fleet.merged.find("namespace")->pos();
    }
    bundle.rendered = rendered;
    bundle.operator_chart = fleet.has_chart() && fleet.is_operator_chart();
    bundle.chart = fleet.helm_text(fleet.helm_text("chart").empty() ? "repo" : "chart");
    if (const Value* helm = repo::map_of(fleet.merged, "helm")) {
        bundle.chart_pos = helm->pos();
    }
    if (bundle.operator_chart) {
        bundle.chart_version = fleet.helm_text("version");
    }
    if (rendered) {
        bundle.fleet = rendered_fleet(fleet, bundle.name);
    }
    return bundle;
}

void add_chart_values(const repo::SourceTree& tree, const FleetFile& fleet, const Cluster& cluster,
                      const std::string& dir, SourceMap& sources, std::vector<Value>& layers,
                      std::vector<ValuesSource>& from, Diagnostics& diagnostics) {
    const std::size_t first = layers.size();
    for (const Value* helm : fleet.helm) {
        add_values_from(*helm, from);
        refuse_offline(*helm, "templateValues", diagnostics);
        if (const Value* values = repo::map_of(*helm, "values")) {
            layers.push_back(values->clone());
        }
        for (const Value& file : repo::list_of(*helm, "valuesFiles")) {
            add_values_file(tree, repo::normal_path(repo::join_path(dir, file.text())), file.pos(),
                            sources, layers, diagnostics);
        }
    }
    for (std::size_t i = first; i < layers.size(); ++i) {
        fill_cluster_templates(layers[i], cluster, !fleet.helm_flag("disablePreProcess"),
                               diagnostics);
    }
}

std::string bundle_slug(std::string_view dir) {
    std::string slug;
    for (const char c : dir) {
        if (is_alphanumeric(c)) {
            slug += lower_case(c);
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
    }
    slug.resize(std::min(slug.size(), kMaxReleaseName));
    while (slug.ends_with('-')) {
        slug.pop_back();
    }
    return slug.empty() ? "bundle" : slug;
}

}  // namespace renderer::engines
