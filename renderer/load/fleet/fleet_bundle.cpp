#include "renderer/load/fleet/fleet_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/load/fleet/cluster_match.h"
#include "renderer/load/fleet/fleet_schema.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/values/config_file.h"
#include "renderer/load/values/schema.h"
#include "renderer/load/values/values.h"

namespace renderer {

namespace {

constexpr std::string_view kOperatorChart = "tailscale-operator";
constexpr std::size_t kMaxReleaseName = 53;

Value& section(Value& map, std::string_view key) {
    Value* found = map.find(key);
    if (found == nullptr || !found->is_map()) {
        found = &map.put(Value(key), Value::map());
    }
    return *found;
}

void put_text(Value& base, const Value& custom, std::string_view key) {
    if (!text_of(custom, key).empty()) {
        base.put(Value(key), custom.find(key)->clone());
    }
}

void put_or(Value& base, const Value& custom, std::string_view key) {
    if (flag_of(custom, key)) {
        base.put(Value(key), custom.find(key)->clone());
    }
}

// A number that is negative takes the base's away.
void merge_timeout(Value& base, const Value& custom) {
    constexpr std::string_view kKey = "timeoutSeconds";
    const std::int64_t seconds = number_of(custom, kKey);
    if (seconds != 0) {
        base.put(kKey, std::max<std::int64_t>(seconds, 0));
    }
}

void merge_helm(Value& base, const Value& custom) {
    for (const std::string_view key : {"repo", "chart", "version", "releaseName"}) {
        put_text(base, custom, key);
    }
    for (const std::string_view key :
         {"atomic", "disableDNS", "disablePreProcess", "force", "takeOwnership", "waitForJobs"}) {
        put_or(base, custom, key);
    }
    merge_timeout(base, custom);
}

// What identifies an entry of a list that Fleet merges by key.
std::string merge_key(const Value& entry, std::span<const std::string_view> keys) {
    std::string key;
    for (const std::string_view field : keys) {
        key += fmt::format("{}|", text_of(entry, field));
    }
    return key;
}

void merge_list(Value& base, const Value& custom, std::string_view field,
                std::span<const std::string_view> keys) {
    for (const Value& entry : list_of(custom, field)) {
        Value* list = base.find(field);
        if (list == nullptr || !list->is_list()) {
            list = &base.put(Value(field), Value::list());
        }
        const auto same = std::ranges::find_if(list->items(), [&](const Value& other) {
            return merge_key(other, keys) == merge_key(entry, keys);
        });
        if (same == list->items().end()) {
            list->append(entry.clone());
        } else {
            *same = entry.clone();
        }
    }
}

// Fleet's Merge: scalars override when they are not empty, flags are or-ed; some fields are not
// merged at all.
void merge_customization(Value& base, const Value& custom) {
    constexpr std::array<std::string_view, 4> kPatchKeys = {"apiVersion", "kind", "namespace",
                                                            "name"};
    constexpr std::array<std::string_view, 2> kDownstreamKeys = {"kind", "name"};
    for (const std::string_view key : {"defaultNamespace", "namespace", "serviceAccount"}) {
        put_text(base, custom, key);
    }
    if (const Value* helm = map_of(custom, "helm")) {
        merge_helm(section(base, "helm"), *helm);
    }
    if (const Value* kustomize = map_of(custom, "kustomize")) {
        put_text(section(base, "kustomize"), *kustomize, "dir");
    }
    if (const Value* diff = map_of(custom, "diff")) {
        merge_list(section(base, "diff"), *diff, "comparePatches", kPatchKeys);
    }
    if (const Value* yaml = map_of(custom, "yaml")) {
        section(base, "yaml");
        for (const Value& overlay : list_of(*yaml, "overlays")) {
            Value& merged = section(base, "yaml");
            Value* list = merged.find("overlays");
            (list != nullptr ? *list : merged.add("overlays", Value::list()))
                .append(overlay.clone());
        }
    }
    put_or(base, custom, "keepResources");
    if (const Value* drift = map_of(custom, "correctDrift")) {
        base.put("correctDrift", drift->clone());
    }
    merge_list(base, custom, "downstreamResources", kDownstreamKeys);
}

// Labels and annotations of the namespace: Fleet takes those of every target, whether it matches
// or not (Fleet internal/cmd/controller/target/target.go).
void merge_namespace_metadata(Value& base, const Value& target) {
    for (const std::string_view field : {"namespaceLabels", "namespaceAnnotations"}) {
        if (const Value* entries = map_of(target, field)) {
            for (const Member& entry : entries->members()) {
                section(base, field).put(entry.key.clone(), entry.value.clone());
            }
        }
    }
}

void add_helm(const Value& options, std::vector<const Value*>& sections) {
    if (const Value* helm = map_of(options, "helm")) {
        sections.push_back(helm);
    }
}

// The GitRepo's takes the place of the one that a bundle has, and what is rendered has no
// customizations.
void refuse_force_sync(const Value& custom, Diagnostics& diagnostics) {
    if (number_of(custom, "forceSyncGeneration") > 0) {
        diagnostics
            .error("not-supported", custom.find("forceSyncGeneration")->pos(),
                   "\"forceSyncGeneration\" of a customization has no effect in a rendered bundle")
            .expected("spec.forceSyncGeneration of the GitRepo")
            .hint("remove it here");
    }
}

void decode(FleetFile& file, const Cluster& cluster, Diagnostics& diagnostics) {
    file.merged = file.root.clone();
    file.deployed = is_targeted(file.root, cluster, diagnostics);
    for (const std::string_view field : {"targets", "targetCustomizations"}) {
        for (const Value& target : list_of(file.root, field)) {
            merge_namespace_metadata(file.merged, target);
        }
    }
    add_helm(file.root, file.helm);
    if (!file.deployed) {
        return;
    }
    for (const Value* custom : matching_customizations(file.root, cluster, diagnostics)) {
        file.deployed = file.deployed && !flag_of(*custom, "doNotDeploy");
        add_helm(*custom, file.helm);
        refuse_force_sync(*custom, diagnostics);
        merge_customization(file.merged, *custom);
    }
}

bool is_full_version(std::string_view version) {
    return std::ranges::count(version, '.') >= 2 && !version.empty() &&
           version.find_first_not_of("0123456789.") == std::string_view::npos;
}

// What Fleet does with the release, not what it renders.
Value release_options(const FleetFile& fleet) {
    Value options = Value::map();
    const Value* helm = map_of(fleet.merged, "helm");
    if (helm == nullptr) {
        return options;
    }
    const std::string_view release = text_of(*helm, "releaseName");
    put_if(options, !release.empty(), "releaseName", release);
    for (const std::string_view key : {"maxHistory", "timeoutSeconds"}) {
        const std::int64_t number = number_of(*helm, key);
        put_if(options, number != 0, key, number);
    }
    for (const std::string_view key : {"atomic", "disableDNS", "force", "skipSchemaValidation",
                                       "takeOwnership", "waitForJobs"}) {
        put_if(options, flag_of(*helm, key), key, true);
    }
    return options;
}

// The fleet.yaml of the rendered bundle: everything is decided, so only `kustomize` and what Fleet
// itself does with the release stay.
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
    const bool used = member != nullptr && (member->value.is_list() || member->value.is_map()) &&
                      member->value.size() > 0;
    if (used) {
        diagnostics
            .error("unknown-offline", member->key.pos(),
                   fmt::format("\"{}\" is only known in the cluster", key))
            .expected("values in fleet.yaml or in valuesFiles")
            .hint("pass the same values with --values FILE, and remove it here");
    }
}

// Fleet puts a label of the cluster in the place of such a value, also of one in a list of maps,
// but not of an item of a list (Fleet internal/cmd/controller/target/builder.go,
// processLabelValues).
void refuse_cluster_labels(const Value& value, Diagnostics& diagnostics) {
    constexpr std::string_view kPrefix = "global.fleet.clusterLabels.";
    for (const Value& item : value.is_list() ? value.items() : std::span<const Value>()) {
        refuse_cluster_labels(item, diagnostics);
    }
    for (const Member& member : value.is_map() ? value.members() : std::span<const Member>()) {
        if (member.value.is_string() && member.value.text().starts_with(kPrefix)) {
            diagnostics
                .error(
                    "unknown-offline", member.value.pos(),
                    fmt::format(
                        "Fleet replaces a value that begins with \"{}\" by a label of the cluster",
                        kPrefix))
                .found(fmt::format("\"{}\"", member.value.text()))
                .expected("the label's value")
                .hint("write the value, or pass it with --values FILE");
        } else {
            refuse_cluster_labels(member.value, diagnostics);
        }
    }
}

// Fleet runs values through a template before Helm sees them.
void refuse_templates(const Value& value, Diagnostics& diagnostics) {
    if (value.is_string() && value.text().find("${") != std::string_view::npos) {
        diagnostics
            .error("unknown-offline", value.pos(),
                   "a value with \"${\" is a template that only Fleet can execute")
            .hint("write the value, set helm.disablePreProcess, or pass it with --values FILE");
    } else if (value.is_list()) {
        for (const Value& item : value.items()) {
            refuse_templates(item, diagnostics);
        }
    } else if (value.is_map()) {
        for (const Member& member : value.members()) {
            refuse_templates(member.value, diagnostics);
        }
    }
}

}  // namespace

std::string_view FleetFile::helm_text(std::string_view key) const {
    const Value* merged_helm = map_of(merged, "helm");
    return merged_helm == nullptr ? std::string_view() : text_of(*merged_helm, key);
}

bool FleetFile::has_chart() const {
    return !helm_text("chart").empty() || !helm_text("repo").empty();
}

bool FleetFile::is_operator_chart() const {
    std::string_view chart = helm_text("chart");
    if (chart.empty()) {
        chart = helm_text("repo");
    }
    while (chart.ends_with('/')) {
        chart.remove_suffix(1);
    }
    chart = base_name(chart);
    return chart == kOperatorChart ||
           (chart.ends_with(".tgz") && chart.starts_with(fmt::format("{}-", kOperatorChart)));
}

std::string FleetFile::kustomize_dir() const {
    const Value* kustomize = map_of(merged, "kustomize");
    const std::string_view dir = kustomize == nullptr ? "" : text_of(*kustomize, "dir");
    return normal_path(dir);
}

std::vector<std::string> FleetFile::values_files() const {
    std::vector<std::string> files;
    const auto add = [&](const Value& options) {
        if (const Value* section = map_of(options, "helm")) {
            for (const Value& entry : list_of(*section, "valuesFiles")) {
                files.push_back(normal_path(entry.text()));
            }
        }
    };
    add(root);
    for (const std::string_view field : {"targets", "targetCustomizations"}) {
        for (const Value& target : list_of(root, field)) {
            add(target);
        }
    }
    return files;
}

FleetFile read_fleet(const SourceTree& tree, const std::string& path, const Cluster& cluster,
                     SourceMap& sources, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    ConfigFile config = read_config(tree, path, {}, sources, diagnostics);
    FleetFile file;
    file.path = path;
    file.source = config.source;
    file.root = std::move(config.root);
    check_schema(file.root, fleet_schema(), "fleet.yaml", diagnostics);
    if (!config.read || diagnostics.error_count() != before) {
        return file;
    }
    if (file.root.is_null()) {
        file.root = Value::map();
    }
    decode(file, cluster, diagnostics);
    file.usable = diagnostics.error_count() == before;
    return file;
}

Bundle make_bundle(const FleetFile& fleet, const std::string& dir, const SourceMap& sources,
                   const std::string& default_namespace, bool rendered) {
    Bundle bundle;
    bundle.dir = dir;
    bundle.name = text_of(fleet.root, "name");
    bundle.name = bundle.name.empty() ? bundle_slug(dir) : bundle.name;
    bundle.pos = sources.pos(fleet.source, 0);
    bundle.default_namespace = text_of(fleet.merged, "defaultNamespace");
    if (bundle.default_namespace.empty()) {
        bundle.default_namespace = default_namespace;
    }
    bundle.forced_namespace = text_of(fleet.merged, "namespace");
    if (!bundle.forced_namespace.empty()) {
        bundle.forced_namespace_pos = fleet.merged.find("namespace")->pos();
    }
    bundle.rendered = rendered;
    bundle.operator_chart = fleet.has_chart() && fleet.is_operator_chart();
    bundle.chart = fleet.helm_text(fleet.helm_text("chart").empty() ? "repo" : "chart");
    if (const Value* helm = map_of(fleet.merged, "helm")) {
        bundle.chart_pos = helm->pos();
    }
    const std::string_view version = fleet.helm_text("version");
    if (bundle.operator_chart && is_full_version(version)) {
        bundle.chart_version = version;
    }
    if (rendered) {
        bundle.fleet = rendered_fleet(fleet, bundle.name);
    }
    return bundle;
}

void add_chart_values(const SourceTree& tree, const FleetFile& fleet, const std::string& dir,
                      SourceMap& sources, std::vector<Value>& layers, Diagnostics& diagnostics) {
    const Value* merged = map_of(fleet.merged, "helm");
    const bool literal = merged != nullptr && flag_of(*merged, "disablePreProcess");
    const std::size_t first = layers.size();
    for (const Value* helm : fleet.helm) {
        refuse_offline(*helm, "valuesFrom", diagnostics);
        refuse_offline(*helm, "templateValues", diagnostics);
        if (const Value* values = map_of(*helm, "values")) {
            layers.push_back(values->clone());
        }
        for (const Value& file : list_of(*helm, "valuesFiles")) {
            add_values_file(tree, normal_path(join_path(dir, file.text())), file.pos(), sources,
                            layers, diagnostics);
        }
    }
    for (std::size_t i = first; i < layers.size(); ++i) {
        refuse_cluster_labels(layers[i], diagnostics);
        if (!literal) {
            refuse_templates(layers[i], diagnostics);
        }
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

}  // namespace renderer
