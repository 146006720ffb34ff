#include "renderer/engines/flux/flux_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/flux/artifact_generators.h"
#include "renderer/engines/flux/patched_maps.h"
#include "renderer/engines/flux/source_key.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/flux/unit_variables.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/naming.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/kube/kinds.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

// Kinds of objects of engines.
constexpr std::array<std::string_view, 3> kEngineKinds = {"Kustomization", "Application",
                                                          "ApplicationSet"};

// True for objects of engines, inputs, and what is looked up for them.
bool is_flux_kind(std::string_view kind) {
    const Kind* known = find_kind(kind);
    return std::ranges::find(kEngineKinds, kind) != kEngineKinds.end() ||
           (known != nullptr && (known->role.is_parent || known->is_custom() ||
                                 known == &renderer::kind_of("Namespace")));
}

std::string_view unquoted(std::string_view word) {
    const std::size_t first = word.find_first_not_of(" \"'");
    const std::size_t last = word.find_last_not_of(" \"'\r");
    return first == std::string_view::npos ? "" : word.substr(first, last - first + 1);
}

// Returns the kind of the object in a strategic merge patch.
std::string_view kind_in(std::string_view patch) {
    constexpr std::string_view kKey = "kind:";
    for (std::size_t at = patch.find(kKey); at != std::string_view::npos;
         at = patch.find(kKey, at + 1)) {
        if (at == 0 || patch[at - 1] == '\n') {
            const std::string_view word = patch.substr(at + kKey.size());
            return unquoted(word.substr(0, word.find('\n')));
        }
    }
    return {};
}

// True if a patch may set what makes a Service or an Ingress an input, or no longer one.
bool sets_class(std::string_view patch) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"ingressClassName", "loadBalancerClass",
                                                "LoadBalancer"},
        [&](std::string_view word) { return patch.find(word) != std::string_view::npos; });
}

// True if a patch may change what a release makes, or whether it does.
bool decides_release(std::string_view patch) {
    constexpr auto kDeciding =
        std::to_array<std::string_view>({"values", "suspend", "chart", "releaseName", "kubeConfig",
                                         "targetNamespace", "$patch", "postRenderers", "/spec\""});
    return std::ranges::any_of(kDeciding, [&](std::string_view field) {
        return patch.find(field) != std::string_view::npos;
    });
}

// True if a manifest below the directory mentions Tailscale.
bool has_mention(const GitOpsTree& repository, const std::string& dir) {
    return std::ranges::any_of(repository.mentions(), [&](const auto& file) {
        return file.second && repo::is_within(file.first, dir);
    });
}

// Returns the patches that may matter, with objects converted to text.
Value older_patches(const Value* patches, std::string_view key, bool has_releases) {
    Value taken = Value::list();
    for (const Value& one : items_of(patches)) {
        const Value* patch = key.empty() ? &one : one.find(key);
        if (patch == nullptr) {
            continue;
        }
        std::string text;
        write_yaml(*patch, text);
        Value written(text);
        written.set_pos(patch->pos());
        Value entry = one.is_map() ? one.clone() : Value::map();
        entry.put("patch", std::move(written));
        if (may_matter(entry, has_releases)) {
            taken.append(key.empty() ? entry.find("patch")->clone() : std::move(entry));
        }
    }
    return taken;
}

std::shared_ptr<const Value> changes_of_kustomization(const Value& spec,
                                                      const repo::SourceTree& tree,
                                                      const std::string& dir, bool has_releases) {
    Value changes;
    const auto put = [&](std::string_view field, Value value) {
        if (!changes.is_map()) {
            changes = Value::map();
        }
        changes.put(field, std::move(value));
    };
    const auto put_list = [&](std::string_view field, Value list) {
        if (list.size() > 0) {
            put(field, std::move(list));
        }
    };
    Value patches = Value::list();
    for (const Value& patch : items_of(spec.find("patches"))) {
        if (may_matter(patch, has_releases)) {
            patches.append(patch.clone());
        }
    }
    put_list("patches", std::move(patches));
    // The older fields of v1beta2, which are applied separately.
    put_list("patchesStrategicMerge",
             older_patches(spec.find("patchesStrategicMerge"), {}, has_releases));
    put_list("patchesJson6902", older_patches(spec.find("patchesJson6902"), "patch", has_releases));
    put_list("components", components_of(spec, tree, dir));
    for (const std::string_view field : {"namePrefix", "nameSuffix"}) {
        const Value* value = spec.find(field);
        if (value != nullptr && !value->is_null() && value->size() > 0) {
            put(field, value->clone());
        }
    }
    put_metadata(spec.at({"commonMetadata", "annotations"}), spec.at({"commonMetadata", "labels"}),
                 changes);
    return changes.is_map() ? std::make_shared<const Value>(std::move(changes)) : nullptr;
}

// Returns the name of the first variable: "A" in `${A:=b}`.
std::string_view variable_in(std::string_view text) {
    const std::size_t open = text.find("${");
    if (open == std::string_view::npos) {
        return {};
    }
    text.remove_prefix(open + 2);
    return text.substr(0, text.find_first_of(":=}"));
}

// Collects the values that objects, also in the text of patches, give to a variable.
void add_values(const Value& value, std::string_view name, std::set<std::string>& values) {
    for (const Value& item : items_of(&value)) {
        add_values(item, name, values);
    }
    for (const Member& member : members_of(&value)) {
        if (member.name() == name && member.value.is_string()) {
            values.emplace(member.value.text());
        }
        add_values(member.value, name, values);
    }
    const std::string_view text = text_of(value);
    const std::string key = fmt::format("{}:", name);
    for (std::size_t at = text.find(key); at != std::string_view::npos;
         at = text.find(key, at + 1)) {
        const std::string_view rest = text.substr(at + key.size());
        values.emplace(unquoted(rest.substr(0, rest.find('\n'))));
    }
}

// `top`: the top of its source, if that is not this repository.
std::string directory_of(const GitOpsTree& repository, const std::optional<std::string>& top,
                         std::string_view path) {
    return top ? repo::path_inside(*top, path) : repository.directory(path);
}

// Fills in a unit whose source is not available.
void note_source(const GitOpsTree& repository, const Value& source_ref, BuildUnit& unit) {
    const std::string_view kind = text_of(source_ref, {"kind"});
    unit.state = UnitState::External;
    unit.reason = fmt::format("{} {} is not this repository", kind, text_of(source_ref, {"name"}));
    unit.source = fmt::format("{}/{}", kind, text_of(source_ref, {"name"}));
    if (!parse_source_key(unit.source)) {
        unit.source.clear();
    }
    unit.may_be_own = kind != "GitRepository" || !repository.flux_sources().know_repository();
    unit.pos = source_ref.pos();
}

const repo::SourceTree& tree_of(const GitOpsTree& repository, const BuildUnit& unit) {
    return unit.artifact ? unit.artifact->tree : repository.tree();
}

std::string full_name(const Value& object) {
    const std::string_view ns = text_of(object, {"metadata", "namespace"});
    return fmt::format("{} {}{}{}", text_of(object, {"kind"}), ns, ns.empty() ? "" : "/",
                       text_of(object, {"metadata", "name"}));
}

// Returns the local directory of the instance's source, if the user gave one. By default the source
// is named after its namespace.
std::optional<std::string> local_sync(const GitOpsTree& repository, const Value& instance,
                                      const Value& sync) {
    const std::string_view ns = text_of(instance, {"metadata", "namespace"});
    Value source = Value::map();
    for (const std::string_view field : {"kind", "name", "url"}) {
        source.put(field, text_of(sync, {field}));
    }
    if (text_of(sync, {"kind"}).empty()) {
        source.put("kind", "GitRepository");
    }
    if (text_of(sync, {"name"}).empty()) {
        source.put("name", ns.empty() ? std::string_view("flux-system") : ns);
    }
    return repository.flux_sources().find_local(source, ns);
}

}  // namespace

Value components_of(const Value& spec, const repo::SourceTree& tree, const std::string& dir) {
    const bool may_lack = spelling_of(spec.find("ignoreMissingComponents")) == "true";
    Value components = Value::list();
    for (const Value& entry : items_of(spec.find("components"))) {
        const std::string path = repo::normal_path(repo::join_path(dir, text_of(entry)));
        const bool is_known = path.find("${") == std::string::npos;
        if (!may_lack || !is_known || tree.kind(path) != repo::EntryKind::Missing) {
            components.append(entry.clone());
        }
    }
    return components;
}

void put_metadata(const Value* annotations, const Value* labels, Value& changes) {
    const auto put = [&](std::string_view field, const Value* map) {
        Value ours = Value::map();
        for (const Member& member : members_of(map)) {
            if (repo::mentions_tailscale(member.name()) ||
                repo::mentions_tailscale(spelling_of(member.value))) {
                ours.add(member.key.clone(), member.value.clone());
            }
        }
        if (ours.size() == 0) {
            return;
        }
        if (!changes.is_map()) {
            changes = Value::map();
        }
        if (field == "labels") {
            ours = Value::list({Value::map({{"pairs", std::move(ours)}})});
        }
        changes.put(field, std::move(ours));
    };
    put("commonAnnotations", annotations);
    put("labels", labels);
}

std::string_view kind_of_patch(const Value& patch) {
    const Value* target = patch.find("target");
    return target != nullptr ? text_of(*target, {"kind"}) : kind_in(text_of(patch, {"patch"}));
}

bool may_matter(const Value& patch, bool has_releases) {
    const std::string_view kind = kind_of_patch(patch);
    const bool is_word = !kind.empty() && std::ranges::all_of(kind, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    if (!is_word || is_flux_kind(kind)) {
        return true;
    }
    const std::string_view text = text_of(patch, {"patch"});
    const bool is_release = kind == "HelmRelease" || kind == "HelmChart";
    const bool is_map = kind == "ConfigMap";
    const bool is_values =
        has_releases && (is_release ? decides_release(text) : is_map && changes_data(text));
    const bool is_unread =
        (is_release || (is_map && has_releases)) && !text_of(patch, {"path"}).empty();
    return is_values || is_unread ||
           ((repo::mentions_tailscale(text) || sets_class(text)) && kind != "Secret" &&
            !is_workload_kind(kind));
}

BuildUnit flux_unit(GitOpsTree& repository, const EngineObject& kustomization) {
    const Value& root = kustomization.root;
    const std::string_view path = text_of(root, {"spec", "path"});
    BuildUnit unit;
    unit.name = full_name(root);
    unit.file = kustomization.file;
    unit.is_flux = true;
    unit.loads_any = true;
    unit.target_namespace = text_of(root, {"spec", "targetNamespace"});
    const Value* source_ref = root.at({"spec", "sourceRef"});
    const std::string_view source = text_of(root, {"spec", "sourceRef", "name"});
    const std::optional<std::string> local =
        source_ref == nullptr ? std::nullopt
                              : repository.flux_sources().find_local(
                                    *source_ref, text_of(root, {"metadata", "namespace"}));
    const std::optional<GeneratedSource> made =
        local || source_ref == nullptr
            ? std::nullopt
            : generated_source(repository, *source_ref, text_of(root, {"metadata", "namespace"}),
                               path);
    const bool is_made = made && made->why.empty();
    unit.dir = is_made ? made->dir : directory_of(repository, local, path);
    const bool is_own =
        is_made || local.has_value() || repository.flux_sources().has_own_source(root);
    if (is_made) {
        unit.artifact = repository.flux_sources().artifact(made->source, made->file, made->tops);
    } else if (!local && is_own) {
        unit.artifact = repository.flux_sources().artifact(source, kustomization.file);
    }
    const auto skip = [&](UnitState state, std::string reason) {
        unit.state = state;
        unit.reason = std::move(reason);
    };
    if (root.at({"spec", "kubeConfig"}) != nullptr) {
        skip(UnitState::OtherCluster, "spec.kubeConfig names another cluster");
    } else if (source.empty() || text_of(*source_ref, {"kind"}).empty()) {
        unit.pos = source_ref == nullptr ? Pos{} : source_ref->pos();
        skip(UnitState::Refused, "spec.sourceRef.kind and spec.sourceRef.name are required");
    } else if (const std::string_view kind = text_of(*source_ref, {"kind"}),
               meant = local ? "" : repository.flux_sources().meant_source(kind, source);
               !meant.empty()) {
        unit.pos = source_ref->find("name")->pos();
        skip(UnitState::Refused,
             fmt::format("no {} \"{}\" in the tree: is \"{}\" meant?", kind, source, meant));
    } else if (!is_own) {
        note_source(repository, *source_ref, unit);
        if (made) {
            unit.reason = made->why;
            unit.dir = repository.root();  // the artifact may have any files of the tree
        }
        for (const std::string_view field : {"patches", "postBuild", "components", "path"}) {
            unit.naming =
                unit.naming.known() ? unit.naming : naming_tailscale(root.at({"spec", field}));
        }
    } else if (path.find("${") != std::string_view::npos) {
        unit.pos = root.at({"spec", "path"})->pos();
        skip(UnitState::Unresolved, fmt::format("path {}", path));
    } else if (!repo::has_files(tree_of(repository, unit), unit.dir)) {
        const bool is_ignored = repo::has_files(repository.tree(), unit.dir);
        unit.pos = root.at({"spec", "path"}) == nullptr ? Pos{} : root.at({"spec", "path"})->pos();
        skip(UnitState::Missing, is_ignored ? fmt::format("the source ignores {}", unit.dir)
                                            : fmt::format("there is no directory {}", unit.dir));
    } else {
        unit.variables = variables_of(repository, root, unit.file);
    }
    if (is_own && !local) {
        const std::string_view own = text_of(*source_ref, {"namespace"});
        unit.git_source =
            fmt::format("{}/{}", own.empty() ? text_of(root, {"metadata", "namespace"}) : own,
                        is_made ? std::string_view(made->source) : source);
    }
    for (const Value& one : items_of(root.at({"spec", "dependsOn"}))) {
        const std::string_view ns = one.at({"namespace"}) == nullptr
                                        ? text_of(root, {"metadata", "namespace"})
                                        : text_of(one, {"namespace"});
        unit.waits_for.emplace_back(fmt::format("{} {}{}{}", text_of(root, {"kind"}), ns,
                                                ns.empty() ? "" : "/", text_of(one, {"name"})),
                                    one.pos());
    }
    unit.is_patched = changes_objects(root);
    if (const Value* spec = root.find("spec")) {
        unit.changes = changes_of_kustomization(
            *spec, tree_of(repository, unit), unit.dir,
            repository.installs_own_charts() || has_mention(repository, unit.dir));
    }
    const IncompleteObject* rejected =
        local || source_ref == nullptr
            ? nullptr
            : repository.flux_sources().rejected(text_of(*source_ref, {"kind"}), source);
    if (rejected != nullptr) {
        unit.rejected.emplace_back(fmt::format("{} {}, the source of {}",
                                               text_of(*source_ref, {"kind"}), source, unit.name),
                                   *rejected);
    }
    if (spelling_of(root.at({"spec", "suspend"})) == "true") {
        keep(unit, "spec.suspend is true");
    } else if (is_made && !made->kept.empty()) {
        keep(unit, made->kept);
    } else if (is_own && repository.flux_sources().is_suspended(
                             text_of(root, {"spec", "sourceRef", "kind"}), source)) {
        keep(unit, fmt::format("spec.suspend of {} {} is true",
                               text_of(root, {"spec", "sourceRef", "kind"}), source));
    }
    return unit;
}

bool is_bootstrap(const EngineObject& kustomization, const BuildUnit& unit) {
    const std::string_view name = text_of(kustomization.root, {"metadata", "name"});
    return !name.empty() && name == text_of(kustomization.root, {"spec", "sourceRef", "name"}) &&
           (repo::is_within(kustomization.file, unit.dir) || kustomization.applied_itself);
}

std::vector<BuildUnit> instance_units(GitOpsTree& repository, const EngineObject& instance) {
    const Value* sync = instance_part(instance.root, "sync");
    const std::string_view spelled = text_of(*sync, {"path"});
    const std::optional<std::string> local = local_sync(repository, instance.root, *sync);
    std::set<std::string> paths;
    std::vector<std::string> unset, assumed;
    if (const Result<std::string> path = substitute(spelled, UnitVariables(), unset, assumed)) {
        paths.insert(*path);
    }
    if (const std::string_view name = variable_in(spelled); !name.empty()) {
        for (const EngineObject& object : repository.objects()) {
            add_values(object.root, name, paths);
        }
    }
    std::vector<BuildUnit> units, missing;
    for (const std::string& path : paths) {
        BuildUnit unit;
        unit.name = "FluxInstance flux";
        unit.file = instance.file;
        unit.is_flux = true;
        unit.loads_any = true;
        unit.is_guessed = spelled.find("${") != std::string_view::npos;
        unit.dir = directory_of(repository, local, path);
        unit.artifact = local ? nullptr : repository.flux_sources().artifact({}, instance.file);
        const std::string_view ref = local ? std::string_view() : text_of(*sync, {"ref"});
        unit.revision = tag_of_ref(ref);
        if (tree_of(repository, unit).kind(unit.dir) == repo::EntryKind::Directory) {
            units.push_back(std::move(unit));
        } else {
            unit.state = UnitState::Missing;
            unit.reason = fmt::format("there is no directory {}", unit.dir);
            unit.pos = sync->find("path")->pos();
            missing.push_back(std::move(unit));
        }
    }
    return units.empty() ? missing : units;
}

}  // namespace renderer::engines
