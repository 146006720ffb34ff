// Checks fleet.yaml for options that have no effect or an unexpected one, or that Fleet refuses on
// every cluster. Source: Fleet schemas/fleet.yaml.json, internal/bundlereader/read.go,
// internal/helmdeployer, internal/cmd/agent/deployer/desiredset.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "renderer/base/ascii.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/fleet/cluster_match.h"
#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::lint {

namespace {

constexpr std::size_t kMaxName = 53;

bool is_release_name(std::string_view name) {
    const auto good = [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; };
    const auto is_end = [](char c) { return c == '-' || c == '.'; };
    return name.size() <= kMaxName && std::ranges::all_of(name, good) && !is_end(name.front()) &&
           !is_end(name.back());
}

void check_name(const LintContext& context, const Value* name, std::string_view key) {
    if (text_of(name).empty() || is_release_name(name->text())) {
        return;
    }
    context
        .error("fleet-name", name->pos(),
               fmt::format("Helm rejects this release name, which \"{}\" results in", key))
        .found(fmt::format("\"{}\", {} characters", name->text(), name->size()))
        .expected("at most 53 lower-case letters, digits, dashes and dots")
        .hint("a renamed bundle is deleted and installed again");
}

void check_names(const LintContext& context) {
    std::map<std::string_view, const RepositoryBundle*> known;
    for (const RepositoryBundle& bundle : context.repository.bundles) {
        if (bundle.is_ours) {
            check_name(context, bundle.fleet.root.find("name"), "name");
            for (const Value* options : bundle.fleet.options()) {
                check_name(context, options->at({"helm", "releaseName"}), "releaseName");
            }
        }
        const Value* name = bundle.fleet.root.find("name");
        if (text_of(name).empty()) {
            continue;
        }
        const auto [twin, is_new] = known.emplace(name->text(), &bundle);
        if (!is_new && (bundle.is_ours || twin->second->is_ours)) {
            context
                .error("fleet-name", name->pos(),
                       fmt::format("two bundles have the name \"{}\", and one replaces the other",
                                   name->text()))
                .hint("rename one of them")
                .note(
                    {.pos = twin->second->fleet.root.find("name")->pos(), .text = "the other one"});
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

// True if the target matches a cluster in .tailrender.yaml, or if that is unknown: groups are not
// listed there.
bool matches_some(const Value& target, const std::vector<engines::Cluster>& clusters) {
    Value alone = Value::map();
    Value list = Value::list();
    list.append(target.clone());
    alone.add("targetCustomizations", std::move(list));
    return std::ranges::any_of(clusters, [&](const engines::Cluster& cluster) {
        Diagnostics unknown;
        return !engines::matching_customizations(alone, cluster, unknown).empty() ||
               unknown.has_errors();
    });
}

void check_customizations(const LintContext& context, const std::vector<engines::Cluster>& clusters,
                          const RepositoryBundle& bundle) {
    for (const std::string_view field : {"targets", "targetCustomizations", "overrideTargets"}) {
        for (const Value& target : repo::list_of(bundle.fleet.root, field)) {
            const std::string_view what = field == "overrideTargets" ? "target" : "customization";
            const bool given = has_criterion(target);
            if (given && (clusters.empty() || matches_some(target, clusters))) {
                continue;
            }
            context
                .warning("fleet-customization", target.pos(),
                         given ? fmt::format("this {} matches no cluster", what)
                               : fmt::format("this {} never matches: it has no criteria", what))
                .expected(given ? "a cluster that .tailrender.yaml lists"
                                : "clusterName, clusterSelector, clusterGroup or "
                                  "clusterGroupSelector; \"clusterSelector: {}\" matches every "
                                  "cluster")
                .hint(given ? "fix it, or remove it" : "");
        }
    }
}

// If fleet.yaml has no name, Fleet names the bundle <GitRepo>-<path>.
void check_dependencies(const LintContext& context, const RepositoryBundle& bundle) {
    for (const Value& entry : repo::list_of(bundle.fleet.root, "dependsOn")) {
        const Value* name = entry.find("name");
        const std::string_view wanted = text_of(name);
        const auto is_it = [&](const RepositoryBundle& other) {
            const bool named = !repo::text_of(other.fleet.root, "name").empty();
            return wanted == other.name || (!named && wanted.ends_with(other.name));
        };
        if (wanted.empty() || std::ranges::any_of(context.repository.bundles, is_it)) {
            continue;
        }
        std::vector<std::string_view> names;
        for (const RepositoryBundle& other : context.repository.bundles) {
            names.push_back(other.name);
        }
        context
            .warning(
                "fleet-dependency", name->pos(),
                fmt::format("unknown bundle \"{}\": this bundle would wait for it forever", wanted))
            .hint(did_you_mean(nearest(wanted, names)));
    }
}

// Fleet does not include these labels when it patches the namespace.
void check_namespace_labels(const LintContext& context, const Value& options) {
    for (const Member& label : members_of(options.find("namespaceLabels"))) {
        if (label.name().starts_with("pod-security.kubernetes.io/")) {
            context
                .warning("fleet-namespace-labels", label.key.pos(),
                         "some versions of Fleet silently ignore PodSecurity labels here")
                .expected("the labels on a Namespace object")
                .hint("add a Namespace with these labels to the bundle");
            return;
        }
    }
}

// Fleet runs the values of every chart through a template; render checks those of the operator's.
void check_template(const LintContext& context, const Value& value) {
    const std::string_view text = text_of(&value);
    if (text.find("${") != std::string_view::npos && text.find("${ ") == std::string_view::npos) {
        context
            .warning("fleet-template", value.pos(),
                     "Fleet reads \"${\" in values as the start of a Go template, and the bundle "
                     "fails on an unknown name")
            .expected("\"${ .ClusterLabels.name }\", or no \"${\" at all")
            .hint("set helm.disablePreProcess to true if it is literal text");
    }
}

void check_values(const LintContext& context, const RepositoryBundle& bundle) {
    if (bundle.fleet.is_operator_chart() || bundle.fleet.helm_flag("disablePreProcess")) {
        return;
    }
    for (const Value* options : bundle.fleet.options()) {
        const Value* values = options->at({"helm", "values"});
        if (values != nullptr && values->is_map()) {
            repo::for_each_value(*values,
                                 [&](const Value& value) { check_template(context, value); });
        }
    }
}

void check_crd_deletion(const LintContext& context, const Value& options) {
    if (repo::flag_of(options, "deleteCRDResources")) {
        context
            .warning("fleet-crd-deletion", options.find("deleteCRDResources")->pos(),
                     "the CRDs of this bundle are deleted with it, and with them all objects of "
                     "their kinds")
            .hint("remove the line: Fleet then keeps the CRDs");
    }
}

// Overlays of manifests are applied only in bundles of plain manifests.
void check_yaml_overlays(const LintContext& context, const RepositoryBundle& bundle) {
    const auto overlays = items_of(bundle.fleet.merged.at({"yaml", "overlays"}));
    const bool ignored =
        bundle.is_chart() || repo::map_of(bundle.fleet.merged, "kustomize") != nullptr;
    if (ignored && !overlays.empty()) {
        context
            .warning("fleet-yaml-overlays", overlays.front().pos(),
                     "Fleet only applies \"yaml.overlays\" in a bundle of plain manifests, and "
                     "this one has a chart or a kustomization")
            .hint("write the overlay as a kustomization, or remove it");
    }
}

}  // namespace

void check_fleet_options(const LintContext& context) {
    std::vector<engines::Cluster> clusters;
    for (const std::string& name :
         engines::cluster_names(context.repository.tree, context.input.options)) {
        repo::LoadOptions options = context.input.options;
        options.cluster = name;
        Diagnostics quiet;
        clusters.push_back(
            engines::load_cluster(context.repository.tree, options, context.loaded.sources, quiet));
    }
    check_names(context);
    for (const RepositoryBundle& bundle : context.repository.bundles) {
        if (!bundle.is_ours) {
            continue;
        }
        check_customizations(context, clusters, bundle);
        check_dependencies(context, bundle);
        check_values(context, bundle);
        check_yaml_overlays(context, bundle);
        for (const Value* options : bundle.fleet.options()) {
            check_namespace_labels(context, *options);
            check_crd_deletion(context, *options);
        }
    }
}

}  // namespace renderer::lint
