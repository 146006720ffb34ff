// fleet.yaml: options that have no effect, another one than they seem to have, or that Fleet
// refuses on every cluster. Source: Fleet schemas/fleet.yaml.json, internal/bundlereader/read.go,
// internal/helmdeployer, internal/cmd/agent/deployer/desiredset.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "renderer/base/ascii.h"
#include "renderer/lint/families.h"
#include "renderer/load/fleet/cluster_match.h"
#include "renderer/load/values/cluster_config.h"
#include "renderer/load/values/schema.h"

namespace renderer {

namespace {

constexpr std::size_t kMaxName = 53;

// The base options first, then those of each customization.
std::vector<const Value*> all_options(const FleetFile& fleet) {
    std::vector<const Value*> all = {&fleet.root};
    for (const std::string_view field : {"targets", "targetCustomizations"}) {
        for (const Value& target : list_of(fleet.root, field)) {
            all.push_back(&target);
        }
    }
    return all;
}

bool is_release_name(std::string_view name) {
    const auto good = [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; };
    const auto is_end = [](char c) { return c == '-' || c == '.'; };
    return name.size() <= kMaxName && std::ranges::all_of(name, good) && !is_end(name.front()) &&
           !is_end(name.back());
}

void check_name(const LintContext& context, const Value& options, std::string_view key) {
    const Value* name = options.find(key);
    if (name == nullptr || text_of(name).empty() || is_release_name(name->text())) {
        return;
    }
    context.add(
        {.rule = "fleet-name",
         .pos = name->pos(),
         .message = fmt::format("Helm rejects this release name, which \"{}\" results in", key),
         .found = fmt::format("\"{}\", {} characters", name->text(), name->size()),
         .expected = "at most 53 lower-case letters, digits, dashes and dots",
         .hint = "a renamed bundle is deleted and installed again"});
}

void check_names(const LintContext& context) {
    std::map<std::string_view, const RepositoryBundle*> known;
    for (const RepositoryBundle& bundle : context.repository.bundles) {
        check_name(context, bundle.fleet.root, "name");
        for (const Value* options : all_options(bundle.fleet)) {
            if (const Value* helm = map_of(*options, "helm")) {
                check_name(context, *helm, "releaseName");
            }
        }
        const Value* name = bundle.fleet.root.find("name");
        if (text_of(name).empty()) {
            continue;
        }
        const auto [twin, is_new] = known.emplace(name->text(), &bundle);
        if (!is_new) {
            context.add(
                {.rule = "fleet-name",
                 .pos = name->pos(),
                 .message = fmt::format(
                     "two bundles have the name \"{}\", and one replaces the other", name->text()),
                 .hint = "rename one of them",
                 .notes = {{.pos = twin->second->fleet.root.find("name")->pos(),
                            .text = "the other one"}}});
        }
    }
}

bool has_criterion(const Value& target) {
    constexpr std::array<std::string_view, 4> kCriteria = {"clusterName", "clusterSelector",
                                                           "clusterGroup", "clusterGroupSelector"};
    return std::ranges::any_of(kCriteria, [&](std::string_view key) {
        const Value* value = target.find(key);
        return value != nullptr && (value->is_map() || !text_of(value).empty());
    });
}

// Does the target match any cluster that .tailrender.yaml lists? Groups are not known here.
bool matches_some(const Value& target, const std::vector<Cluster>& clusters) {
    Value alone = Value::map();
    Value list = Value::list();
    list.append(target.clone());
    alone.add("targetCustomizations", std::move(list));
    return std::ranges::any_of(clusters, [&](const Cluster& cluster) {
        Diagnostics unknown;
        return !matching_customizations(alone, cluster, unknown).empty() || unknown.has_errors();
    });
}

void check_customizations(const LintContext& context, const std::vector<Cluster>& clusters,
                          const RepositoryBundle& bundle) {
    for (const std::string_view field : {"targets", "targetCustomizations", "overrideTargets"}) {
        for (const Value& target : list_of(bundle.fleet.root, field)) {
            const std::string_view what = field == "overrideTargets" ? "target" : "customization";
            const bool given = has_criterion(target);
            if (given && (clusters.empty() || matches_some(target, clusters))) {
                continue;
            }
            context.warn(
                {.rule = "fleet-customization",
                 .pos = target.pos(),
                 .message = given ? fmt::format("this {} matches no cluster", what)
                                  : fmt::format("this {} never matches: it has no criteria", what),
                 .expected = given ? "a cluster that .tailrender.yaml lists"
                                   : "clusterName, clusterSelector, clusterGroup or "
                                     "clusterGroupSelector; \"clusterSelector: {}\" "
                                     "matches every cluster",
                 .hint = given ? "fix it, or remove it" : ""});
        }
    }
}

// A bundle that Fleet names is called <GitRepo>-<path>.
void check_dependencies(const LintContext& context, const RepositoryBundle& bundle) {
    for (const Value& entry : list_of(bundle.fleet.root, "dependsOn")) {
        const Value* name = entry.find("name");
        const std::string_view wanted = text_of(name);
        const auto is_it = [&](const RepositoryBundle& other) {
            const bool named = !text_of(other.fleet.root, "name").empty();
            return wanted == other.name || (!named && wanted.ends_with(other.name));
        };
        if (wanted.empty() || std::ranges::any_of(context.repository.bundles, is_it)) {
            continue;
        }
        std::vector<std::string_view> names;
        for (const RepositoryBundle& other : context.repository.bundles) {
            names.push_back(other.name);
        }
        const std::string_view near = nearest(wanted, names);
        context.warn({.rule = "fleet-dependency",
                      .pos = name->pos(),
                      .message = fmt::format(
                          "unknown bundle \"{}\": this bundle would wait for it forever", wanted),
                      .hint = did_you_mean(near)});
    }
}

// Fleet leaves them out of what it patches on the namespace.
void check_namespace_labels(const LintContext& context, const Value& options) {
    const Value* labels = map_of(options, "namespaceLabels");
    for (const Member& label : labels == nullptr ? std::span<const Member>() : labels->members()) {
        if (label.name().starts_with("pod-security.kubernetes.io/")) {
            context.warn(
                {.rule = "fleet-namespace-labels",
                 .pos = label.key.pos(),
                 .message = "some versions of Fleet silently ignore PodSecurity labels here",
                 .expected = "the labels on a Namespace object",
                 .hint = "add a Namespace with these labels to the bundle"});
            return;
        }
    }
}

// The values of every chart go through a template; those of the operator's are checked by render.
void check_templates(const LintContext& context, const Value& value) {
    if (value.is_string() && value.text().find("${") != std::string_view::npos &&
        value.text().find("${ ") == std::string_view::npos) {
        context.warn({.rule = "fleet-template",
                      .pos = value.pos(),
                      .message = "Fleet reads \"${\" in values as the start of a Go template, and "
                                 "the bundle fails on an unknown name",
                      .expected = "\"${ .ClusterLabels.name }\", or no \"${\" at all",
                      .hint = "set helm.disablePreProcess to true if it is literal text"});
    }
    for (const Member& member : value.is_map() ? value.members() : std::span<const Member>()) {
        check_templates(context, member.value);
    }
    for (const Value& item : value.is_list() ? value.items() : std::span<const Value>()) {
        check_templates(context, item);
    }
}

void check_values(const LintContext& context, const RepositoryBundle& bundle) {
    const Value* merged = map_of(bundle.fleet.merged, "helm");
    if (bundle.fleet.is_operator_chart() ||
        (merged != nullptr && flag_of(*merged, "disablePreProcess"))) {
        return;
    }
    for (const Value* options : all_options(bundle.fleet)) {
        const Value* helm = map_of(*options, "helm");
        const Value* values = helm == nullptr ? nullptr : map_of(*helm, "values");
        if (values != nullptr) {
            check_templates(context, *values);
        }
    }
}

void check_crd_deletion(const LintContext& context, const Value& options) {
    const Value* flag = options.find("deleteCRDResources");
    if (flag != nullptr && flag->is_bool() && flag->as_bool()) {
        context.warn({.rule = "fleet-crd-deletion",
                      .pos = flag->pos(),
                      .message = "the CRDs of this bundle are deleted with it, and with them all "
                                 "objects of their kinds",
                      .hint = "remove the line: Fleet then keeps the CRDs"});
    }
}

// Overlays of manifests are executed only where nothing else is.
void check_yaml_overlays(const LintContext& context, const RepositoryBundle& bundle) {
    const Value* yaml = map_of(bundle.fleet.merged, "yaml");
    const Value* overlays = yaml == nullptr ? nullptr : yaml->find("overlays");
    const Value* kustomize = map_of(bundle.fleet.merged, "kustomize");
    const bool ignored = bundle.is_chart() || kustomize != nullptr;
    if (ignored && overlays != nullptr && overlays->is_list() && overlays->size() > 0) {
        context.warn({.rule = "fleet-yaml-overlays",
                      .pos = overlays->items().front().pos(),
                      .message = "Fleet only applies \"yaml.overlays\" in a bundle of plain "
                                 "manifests, and this one has a chart or a kustomization",
                      .hint = "write the overlay as a kustomization, or remove it"});
    }
}

}  // namespace

void check_fleet_options(const LintContext& context) {
    std::vector<Cluster> clusters;
    for (const std::string& name : cluster_names(context.repository.tree, context.input.options)) {
        LoadOptions options = context.input.options;
        options.cluster = name;
        Diagnostics quiet;
        clusters.push_back(
            load_cluster(context.repository.tree, options, context.loaded.sources, quiet));
    }
    check_names(context);
    for (const RepositoryBundle& bundle : context.repository.bundles) {
        check_customizations(context, clusters, bundle);
        check_dependencies(context, bundle);
        check_values(context, bundle);
        check_yaml_overlays(context, bundle);
        for (const Value* options : all_options(bundle.fleet)) {
            check_namespace_labels(context, *options);
            check_crd_deletion(context, *options);
        }
    }
}

}  // namespace renderer
