#include "renderer/engines/argo/argo_units.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/flux/flux_revisions.h"
#include "renderer/engines/flux/flux_units.h"
#include "renderer/engines/helm/chart_source.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/naming.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

constexpr const char* kOverrides = ".argocd-source";

// What a source may set its directory to be.
constexpr auto kTypes =
    std::to_array<std::string_view>({"kustomize", "helm", "directory", "plugin"});

// Returns the cluster of the destination, given by name or server. The cluster that Argo CD runs in
// is always kOwnCluster.
std::string cluster_of(const GitOpsTree& repository, const Value& application) {
    const std::string_view name = text_of(application, {"spec", "destination", "name"});
    std::string_view server = text_of(application, {"spec", "destination", "server"});
    server.remove_suffix(server.size() - (server.find_last_not_of('/') + 1));
    for (const ArgoCluster& cluster : repository.argo_clusters()) {
        if (!cluster.name.empty() && (cluster.name == name || cluster.server == server)) {
            return cluster.server == kOwnServer ? std::string(kOwnCluster) : cluster.name;
        }
    }
    if (!name.empty()) {
        return std::string(name);
    }
    return std::string(server.empty() || server == kOwnServer ? kOwnCluster : server);
}

// Only names of letters count: `in-cluster2` and `my-cluster` may be other clusters.
bool is_mistyped_name(std::string_view name) {
    return (name.starts_with("in-") || name.starts_with("ni-")) &&
           std::ranges::count(name, '-') == 1 &&
           std::ranges::none_of(name, [](char c) { return c >= '0' && c <= '9'; }) &&
           is_typo_of(name, kOwnCluster);
}

// Returns the destination's name or server if it is a typo of that of Argo CD's own cluster, else
// null.
const Value* mistyped_cluster(const GitOpsTree& repository, const Value& application) {
    const std::string cluster = cluster_of(repository, application);
    const bool is_known = std::ranges::any_of(
        repository.argo_clusters(),
        [&](const ArgoCluster& one) { return one.name == cluster || one.server == cluster; });
    if (is_known || !(is_mistyped_name(cluster) || is_typo_of(cluster, kOwnServer))) {
        return nullptr;
    }
    const Value* name = application.at({"spec", "destination", "name"});
    return text_of(name).empty() ? application.at({"spec", "destination", "server"}) : name;
}

// Argo CD decodes the patched source into the source that it had, so null removes nothing. Only in
// valuesObject, which is replaced as a whole, it does.
Value without_nulls(const Value& patch) {
    Value out = Value::map();
    for (const Member& member : patch.members()) {
        const bool is_nested = member.value.is_map() && member.name() != "valuesObject";
        if (!member.value.is_null()) {
            out.put(member.key.clone(),
                    is_nested ? without_nulls(member.value) : member.value.clone());
        }
    }
    return out;
}

// Override files next to the manifests take precedence over the Application. Sets `failure` if Argo
// CD fails at one of them, or if what it says is encrypted.
Value with_overrides(const GitOpsTree& repository, const Value& source, const std::string& dir,
                     std::string_view name, std::string& failure) {
    Value merged = source.clone();
    for (const std::string& file :
         {fmt::format("{}.yaml", kOverrides), fmt::format("{}-{}.yaml", kOverrides, name)}) {
        const std::string path = repo::join_path(dir, file);
        if (repository.tree().kind(path) != repo::EntryKind::File) {
            continue;
        }
        Result<std::string> text = repository.tree().read(path);
        const std::vector<EngineObject> patches =
            text ? repository.read(path, std::move(*text)) : std::vector<EngineObject>();
        if (patches.empty()) {
            failure = fmt::format("{} is not a map that can be read", path);
        } else if (patches.front().root.find("sops") != nullptr) {
            failure = fmt::format("{} is encrypted", path);
        } else {
            merge_patch(merged, without_nulls(patches.front().root));
        }
    }
    return merged;
}

std::shared_ptr<const Value> changes_of_source(const Value& source, const repo::SourceTree& tree,
                                               const std::string& dir) {
    Value changes;
    if (const Value* kustomize = source.find("kustomize")) {
        if (Value components = components_of(*kustomize, tree, dir); components.size() > 0) {
            changes = Value::map();
            changes.put("components", std::move(components));
        }
    }
    for (const std::string_view field : {"namePrefix", "nameSuffix", "patches"}) {
        const Value* value = source.at({"kustomize", field});
        if (value == nullptr || value->is_null() || value->size() == 0 ||
            (field == "patches" && std::ranges::none_of(items_of(value), [](const Value& patch) {
                 return may_matter(patch, true);
             }))) {
            continue;
        }
        if (!changes.is_map()) {
            changes = Value::map();
        }
        changes.put(field, value->clone());
    }
    put_metadata(source.at({"kustomize", "commonAnnotations"}),
                 source.at({"kustomize", "commonLabels"}), changes);
    return changes.is_map() ? std::make_shared<const Value>(std::move(changes)) : nullptr;
}

std::shared_ptr<const ChartUnit> chart_unit(const EngineObject& application, const Value& source) {
    return std::make_shared<const ChartUnit>(
        ChartUnit{.application = application.root.clone(), .source = source.clone()});
}

bool is_type(const Value& source, std::string_view type) {
    const Value* value = source.find(type);
    return value != nullptr && !value->is_null();
}

// An artifact in a registry may be built from any repository. It is a chart if the source says so,
// or if its address and a version as its revision do.
bool is_chart_in_registry(const Value& source) {
    const std::string_view url = text_of(source, {"repoURL"});
    const std::string_view revision = text_of(source, {"targetRevision"});
    return is_type(source, "helm") ||
           ((url.find("chart") != std::string_view::npos ||
             url.find("helm") != std::string_view::npos) &&
            revision.find_first_not_of("v0123456789.*x^~") == std::string_view::npos &&
            revision.find('.') != std::string_view::npos);
}

// Argo CD prefers a kustomization over a chart, unless the source sets the type.
bool is_chart(const GitOpsTree& repository, const BuildUnit& unit, const Value& source) {
    const repo::WalkedDir* dir = repository.find(unit.dir);
    const bool is_free = std::ranges::none_of(
        std::initializer_list<std::string_view>{"directory", "kustomize", "plugin"},
        [&](std::string_view type) { return is_type(source, type); });
    return dir != nullptr && dir->has_chart && is_free &&
           (dir->kustomizations.empty() || is_type(source, "helm"));
}

// True if the source sets the type of a chart for a directory without one.
bool lacks_chart(const GitOpsTree& repository, const BuildUnit& unit, const Value& source) {
    const repo::WalkedDir* dir = repository.find(unit.dir);
    return dir != nullptr && !dir->has_chart && is_type(source, "helm");
}

// True if the source sets the type of a kustomization for a directory without one.
bool lacks_kustomization(const GitOpsTree& repository, const BuildUnit& unit, const Value& source) {
    const repo::WalkedDir* dir = repository.find(unit.dir);
    return dir != nullptr && dir->kustomizations.empty() && is_type(source, "kustomize");
}

// Argo CD writes this file next to the manifests in the hydrated branch.
constexpr const char* kHydrated = "hydrator.metadata";

// The hydrator renders the dry source into another branch. Returns the dry source, unless this tree
// is that branch.
Value hydrated_source(const GitOpsTree& repository, const Value& hydrator, const Value& dry,
                      std::string& note) {
    const std::string_view path = text_of(hydrator, {"syncSource", "path"});
    const std::string dir = repository.directory(path);
    const repo::SourceTree& tree = repository.tree();
    const bool is_branch =
        tree.kind(repo::join_path(dir, kHydrated)) == repo::EntryKind::File ||
        (tree.kind(repository.directory(text_of(dry, {"path"}))) != repo::EntryKind::Directory &&
         tree.kind(dir) == repo::EntryKind::Directory);
    if (!is_branch) {
        note = fmt::format("applied from {} of branch {}", path,
                           text_of(hydrator, {"syncSource", "targetBranch"}));
        return dry.clone();
    }
    Value source = Value::map();
    source.put("repoURL", text_of(dry, {"repoURL"}));
    source.put("path", path);
    return source;
}

// Argo CD runs helm for a directory with a file whose name ends like that of a chart. Returns the
// file, "" if there is none. Source: argo-cd v3.6 util/app/discovery/discovery.go.
std::string mistaken_chart(const GitOpsTree& repository, const BuildUnit& unit,
                           const Value& source) {
    const repo::WalkedDir* dir = repository.find(unit.dir);
    const bool has_type =
        std::ranges::any_of(kTypes, [&](std::string_view type) { return is_type(source, type); });
    if (dir == nullptr || dir->has_chart || !dir->kustomizations.empty() || has_type) {
        return {};
    }
    const auto found = std::ranges::find_if(
        dir->files, [](const std::string& name) { return name.ends_with(kChartFile); });
    return found == dir->files.end() ? std::string() : *found;
}

// Argo CD allows at most one type, and an empty one counts. Returns "" if there is no conflict.
std::string conflict_of(const Value& source, Pos& pos) {
    std::vector<std::string_view> types;
    for (const std::string_view type : kTypes) {
        if (is_type(source, type)) {
            types.push_back(type);
            pos = source.find(type)->pos();
        }
    }
    return types.size() < 2
               ? std::string()
               : fmt::format("multiple application sources defined: {}", fmt::join(types, ", "));
}

void find_type(const Value& source, BuildUnit& unit) {
    // Plugins process manifests at any depth.
    const bool recurses =
        spelling_of(source.at({"directory", "recurse"})) == "true" || is_type(source, "plugin");
    unit.files = recurses ? UnitFiles::Recursive : UnitFiles::Directory;
    unit.ignores_kustomization = is_type(source, "directory") || is_type(source, "helm");
    unit.include = text_of(source, {"directory", "include"});
    unit.exclude = text_of(source, {"directory", "exclude"});
}

// Returns the tag or commit that a revision is, as far as its name tells: "v1.2.3",
// "refs/tags/stable", a hash; "" for branches and ranges of versions.
std::string_view fixed_revision(std::string_view revision) {
    constexpr std::size_t kShortestHash = 7, kHash = 40;
    constexpr std::string_view kHex = "0123456789abcdefABCDEF";
    if (const std::string_view tag = tag_of_ref(revision); !tag.empty()) {
        return tag;
    }
    const bool is_hash = revision.find_first_not_of(kHex) == std::string_view::npos &&
                         (revision.size() == kHash || (revision.size() >= kShortestHash &&
                                                       std::ranges::any_of(revision, is_digit) &&
                                                       std::ranges::any_of(revision, is_letter)));
    const std::string_view version = revision.substr(revision.starts_with('v') ? 1 : 0);
    const std::string_view numbers = version.substr(0, version.find_first_of("-+"));
    const bool is_version = std::ranges::count(numbers, '.') == 2 && is_digit(numbers.front()) &&
                            is_digit(numbers.back()) &&
                            numbers.find_first_not_of("0123456789.") == std::string_view::npos &&
                            version.find_first_of(" ,|") == std::string_view::npos;
    return is_hash || is_version ? revision : std::string_view();
}

BuildUnit named_unit(const GitOpsTree& repository, const EngineObject& application) {
    BuildUnit unit;
    unit.name = fmt::format("Application {}", text_of(application.root, {"metadata", "name"}));
    unit.file = application.file;
    unit.cluster = cluster_of(repository, application.root);
    unit.fallback_namespace = text_of(application.root, {"spec", "destination", "namespace"});
    return unit;
}

BuildUnit unit_of(const GitOpsTree& repository, const EngineObject& application,
                  const Value& given) {
    const Value& root = application.root;
    std::string note;
    const Value* hydrator = root.at({"spec", "sourceHydrator"});
    const Value spelled = hydrator != nullptr && hydrator->is_map()
                              ? hydrated_source(repository, *hydrator, given, note)
                              : given.clone();
    BuildUnit unit = named_unit(repository, application);
    unit.dir = repository.directory(text_of(spelled, {"path"}));
    const std::string_view url = text_of(spelled, {"repoURL"});
    const std::optional<std::string> local = repository.flux_sources().find_local(url);
    if (local) {
        unit.dir = repo::path_inside(*local, text_of(spelled, {"path"}));
    } else if (!repository.own_repository().is_own(url)) {
        unit.state = UnitState::External;
        unit.source = secrets::without_url_credentials(url);
        unit.pos = given.pos();
        for (const std::string_view field : {"kustomize", "helm", "path"}) {
            unit.naming = unit.naming.known() ? unit.naming : naming_tailscale(given.find(field));
        }
        unit.may_be_own = repository.own_repository().may_be_own(url) ||
                          (url.starts_with("oci://") && !is_chart_in_registry(spelled));
        unit.reason = fmt::format("{} {} this repository", unit.source,
                                  unit.may_be_own ? "may be" : "is not");
        unit.changes = changes_of_source(spelled, repository.tree(), unit.dir);
        if (is_path_to_operator(text_of(spelled, {"path"}))) {
            unit.chart = chart_unit(application, spelled);
            unit.naming = {};
        }
        return unit;
    }
    if (!local) {
        unit.revision = fixed_revision(text_of(spelled, {"targetRevision"}));
    }
    const bool is_frozen =
        spelling_of(root.at({"metadata", "annotations", "argocd.argoproj.io/skip-reconcile"})) ==
        "true";
    const auto keep_frozen = [&] {
        if (is_frozen) {
            keep(unit, "argocd.argoproj.io/skip-reconcile is true");
        }
    };
    if (!repo::has_files(repository.tree(), unit.dir)) {
        unit.state = UnitState::Missing;
        unit.pos = given.find("path") == nullptr ? Pos{} : given.find("path")->pos();
        unit.reason = fmt::format("there is no directory {}", unit.dir);
        keep_frozen();
        return unit;
    }
    const Value source = with_overrides(repository, spelled, unit.dir,
                                        text_of(root, {"metadata", "name"}), unit.reason);
    if (unit.reason.empty()) {
        unit.reason = conflict_of(source, unit.pos);
    }
    if (const std::string file = mistaken_chart(repository, unit, source);
        unit.reason.empty() && !file.empty()) {
        unit.reason = fmt::format("Argo CD takes {} for a chart because of {}", unit.dir, file);
    }
    if (unit.reason.empty() && lacks_chart(repository, unit, source)) {
        unit.pos = source.find("helm")->pos();
        unit.reason = fmt::format("{} has no Chart.yaml for \"helm\"", unit.dir);
    }
    if (unit.reason.empty() && lacks_kustomization(repository, unit, source)) {
        unit.pos = source.find("kustomize")->pos();
        unit.reason = fmt::format("{} has no kustomization for \"kustomize\"", unit.dir);
    }
    if (!unit.reason.empty()) {
        unit.pos = unit.pos.known() ? unit.pos : given.pos();
        unit.state = UnitState::Refused;
        keep_frozen();
        return unit;
    }
    unit.reason = std::move(note);
    if (spelling_of(source.at({"directory", "disableExtensionFilter"})) == "true") {
        unit.reason = "files without the name of a manifest are not read";
    }
    find_type(source, unit);
    unit.loads_any = repository.argo_loads_any();
    unit.target_namespace = text_of(source, {"kustomize", "namespace"});
    unit.changes = changes_of_source(source, repository.tree(), unit.dir);
    if (is_chart(repository, unit, source)) {
        unit.chart = chart_unit(application, source);
    }
    keep_frozen();
    return unit;
}

void add_chart(const GitOpsTree& repository, const EngineObject& application, const Value& source,
               std::vector<BuildUnit>& units) {
    const std::string_view chart = text_of(source, {"chart"});
    if (chart.empty()) {
        return;
    }
    BuildUnit& unit = units.emplace_back(named_unit(repository, application));
    unit.dir = chart;
    unit.state = UnitState::External;
    unit.reason =
        fmt::format("a chart of {}", secrets::shown_address(text_of(source, {"repoURL"})));
    unit.chart = chart_unit(application, source);
}

// Returns the first source that Argo CD rejects as invalid, or null.
const Value* incomplete_source(const Value& application) {
    const bool are_several = application.at({"spec", "sources"}) != nullptr;
    const std::vector<const Value*> sources = application_sources(application);
    const auto found = std::ranges::find_if(sources, [&](const Value* source) {
        return text_of(*source, {"repoURL"}).empty() ||
               (text_of(*source, {"path"}).empty() && text_of(*source, {"chart"}).empty() &&
                (!are_several || text_of(*source, {"ref"}).empty()));
    });
    return found == sources.end() ? nullptr : *found;
}

bool matches(std::string_view pattern, const std::string& path) {
    return std::ranges::any_of(repo::brace_alternatives(pattern), [&](const std::string& one) {
        return ::fnmatch(one.c_str(), path.c_str(), 0) == 0;
    });
}

}  // namespace

void merge_patch(Value& target, const Value& patch) {
    if (!patch.is_map() || !target.is_map()) {
        target = patch.clone();
        return;
    }
    for (const Member& member : patch.members()) {
        if (member.value.is_null()) {
            target.erase(member.name());
        } else if (Value* known = target.find(member.name())) {
            merge_patch(*known, member.value);
        } else {
            target.add(member.key.clone(), member.value.clone());
        }
    }
}

std::vector<BuildUnit> argo_units(const GitOpsTree& repository, const EngineObject& application) {
    std::vector<BuildUnit> units;
    const auto refuse = [&](const Value& place, std::string reason) {
        BuildUnit& unit = units.emplace_back(named_unit(repository, application));
        unit.state = UnitState::Refused;
        unit.reason = std::move(reason);
        unit.pos = place.pos();
    };
    if (application_sources(application.root).empty()) {
        const Value* spec = application.root.find("spec");
        refuse(spec == nullptr ? *application.root.find("kind") : *spec,
               "one of spec.source and spec.sources is required");
        return units;
    }
    if (const Value* source = incomplete_source(application.root)) {
        refuse(*source,
               "a source needs repoURL, and path or chart; one of several may have ref "
               "instead");
        return units;
    }
    if (const Value* cluster = mistyped_cluster(repository, application.root)) {
        refuse(*cluster,
               fmt::format("no cluster Secret and no --argo-cluster names {}: is {} or {} meant?",
                           text_of(*cluster), kOwnCluster, kOwnServer));
        return units;
    }
    for (const Value* source : sources_of(application.root)) {
        units.push_back(unit_of(repository, application, *source));
    }
    for (const Value* source : application_sources(application.root)) {
        add_chart(repository, application, *source, units);
    }
    return units;
}

bool takes_manifest(const BuildUnit& unit, const std::string& path) {
    return (unit.exclude.empty() || !matches(unit.exclude, path)) &&
           (unit.include.empty() || matches(unit.include, path));
}

}  // namespace renderer::engines
