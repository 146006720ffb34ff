#include "renderer/engines/patched_roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/engines/places.h"
#include "renderer/repo/overlay_tree.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kDefaultName = "flux-system";

// True for a Kustomization in the directory that it applies, and for a GitRepository.
bool may_be_root(const GitOpsTree& repository, const EngineObject& object) {
    return is_kind(object.root, kSourceGroup, "GitRepository") ||
           (is_kind(object.root, kFluxGroup, "Kustomization") &&
            repo::is_within(object.file,
                            repository.directory(text_of(object.root, {"spec", "path"}))));
}

// True for a field of a Kustomization or a source that changes neither what is applied nor where.
bool is_harmless(std::string_view field) {
    constexpr auto kHarmless = std::to_array<std::string_view>(
        {"decryption", "interval", "retryInterval", "timeout", "wait", "prune", "force", "verify",
         "secretRef", "proxySecretRef", "serviceAccountName", "provider"});
    return std::ranges::find(kHarmless, field.substr(0, field.find('/'))) != kHarmless.end();
}

// True if each operation of a JSON patch, or each field of a merge patch, is harmless.
bool has_no_effect(const Value& patch) {
    const Value root = read_text(text_of(patch, {"patch"}));
    constexpr std::string_view kSpec = "/spec/";
    const auto changes_nothing = [&](const Value& operation) {
        const std::string_view path = text_of(operation, {"path"});
        return path.starts_with(kSpec) && is_harmless(path.substr(kSpec.size()));
    };
    const Value* metadata = root.at({"metadata"});
    const Value* spec = root.at({"spec"});
    return root.is_list() ? std::ranges::all_of(root.items(), changes_nothing)
                          : spec != nullptr && (metadata == nullptr || metadata->size() <= 2) &&
                                std::ranges::all_of(members_of(spec), [](const Member& field) {
                                    return is_harmless(field.name());
                                });
}

// Returns the patches of the instance that may change what it makes for `sync`.
Value patches_of(const Value& instance) {
    const Value* kustomize = instance_part(instance, "kustomize");
    Value patches = Value::list();
    for (const Value& patch :
         items_of(kustomize == nullptr ? nullptr : kustomize->find("patches"))) {
        if (may_change_unit(patch) && !has_no_effect(patch)) {
            patches.append(patch.clone());
        }
    }
    return patches;
}

std::string text_of_objects(const Value& instance, const Value& sync, std::string_view path) {
    const std::string_view own = text_of(instance, {"metadata", "namespace"});
    const std::string_view ns = own.empty() ? kDefaultName : own;
    const std::string_view given = text_of(sync, {"name"});
    const std::string_view kind = text_of(sync, {"kind"});
    const Value metadata = Value::map({{"name", given.empty() ? ns : given}, {"namespace", ns}});
    const Value source = Value::map(
        {{"kind", kind.empty() ? "GitRepository" : kind}, {"name", given.empty() ? ns : given}});
    const Value objects[] = {
        Value::map({{"apiVersion", "kustomize.toolkit.fluxcd.io/v1"},
                    {"kind", "Kustomization"},
                    {"metadata", metadata.clone()},
                    {"spec", Value::map({{"interval", "10m"},
                                         {"path", path},
                                         {"prune", true},
                                         {"sourceRef", source.clone()}})}}),
        Value::map({{"apiVersion", "source.toolkit.fluxcd.io/v1"},
                    {"kind", text_of(source, {"kind"})},
                    {"metadata", metadata.clone()},
                    {"spec", Value::map({{"interval", "1m"}, {"url", text_of(sync, {"url"})}})}})};
    std::string text;
    for (const Value& object : objects) {
        text += "---\n";
        write_yaml(object, text);
    }
    return text;
}

// Adds what the topmost kustomizations that list a FluxInstance make of it: one for each, or it
// stays as it is if no kustomization changes it. A build that fails is reported. Returns true if
// one was built.
bool add_instances(const EngineObject& raw, const std::vector<std::string>& tops,
                   GitOpsTree& repository, KustomizationReader& reader, UnitBuilder& builder,
                   std::vector<EngineObject>& instances, Diagnostics& diagnostics) {
    bool is_unchanged = tops.empty();
    const std::size_t before = instances.size();
    for (const std::string& dir : tops) {
        Result<std::vector<EngineObject>> built =
            builder.patched_objects(repository.tree(), reader, dir);
        std::vector<EngineObject> objects;
        if (built) {
            objects = std::move(*built);
        } else {
            BuildUnit top;
            top.name = fmt::format("the kustomization of {}", dir);
            top.dir = dir;
            const std::string& why = built.error().diagnostic.found;
            top.unbuilt = why == kNoKustomize ? std::string() : why;
            report_assumed(top, Severity::Error, diagnostics);
        }
        const std::size_t known = instances.size();
        for (EngineObject& object : objects) {
            if (is_made_of(object, raw)) {
                set_places(object.root, raw.root.find("kind")->pos());
                instances.push_back(std::move(object));
            }
        }
        is_unchanged = is_unchanged || instances.size() == known;
    }
    const bool is_built = instances.size() > before;
    if (is_unchanged) {
        instances.push_back({raw.file, raw.root.clone()});
    }
    return is_built;
}

}  // namespace

void take_patched_roots(GitOpsTree& repository, KustomizationReader& reader, RootFiles& files,
                        UnitBuilder& builder, Diagnostics& diagnostics) {
    std::set<std::string> dirs;
    for (const EngineObject& object : repository.objects()) {
        const std::vector<std::string> tops =
            may_be_root(repository, object) ? files.tops(object.file) : std::vector<std::string>();
        if (tops.size() == 1) {
            dirs.insert(tops.front());
        }
    }
    std::vector<EngineObject> instances;
    bool are_built = false;
    for (const EngineObject& raw : repository.instances()) {
        are_built |= add_instances(raw, files.tops(raw.file), repository, reader, builder,
                                   instances, diagnostics);
    }
    std::vector<EngineObject> patched;
    for (const std::string& dir : dirs) {
        if (auto built = builder.patched_objects(repository.tree(), reader, dir)) {
            for (EngineObject& object : *built) {
                patched.push_back(std::move(object));
            }
        }
    }
    if (are_built || !patched.empty()) {
        repository.take_instances(std::move(instances));
        repository.take_patched(std::move(patched));
    }
}

Result<std::vector<EngineObject>> patched_sync(const GitOpsTree& repository, SourceMap& sources,
                                               UnitBuilder& builder, const EngineObject& instance,
                                               const std::string& dir) {
    constexpr std::string_view kSync = "sync-of-flux-instance.yaml";
    const std::string& root = repository.root();
    const Value* sync = instance_part(instance.root, "sync");
    Value patches = patches_of(instance.root);
    const bool is_alone = repository.instances().size() == 1;
    if (sync == nullptr || (patches.size() == 0 && is_alone)) {
        return std::vector<EngineObject>();
    }
    const bool is_here = repo::is_within(dir, root);
    const std::string text = text_of_objects(
        instance.root, *sync,
        is_here ? repo::relative_path(dir, root) : std::string(text_of(*sync, {"path"})));
    std::vector<EngineObject> made;
    if (patches.size() > 0) {
        std::string kustomization;
        write_yaml(Value::map({{"apiVersion", kKustomizationVersion},
                               {"kind", "Kustomization"},
                               {"resources", Value::list({kSync})},
                               {"patches", std::move(patches)}}),
                   kustomization);
        std::string file = repo::join_path(root, repo::kKustomizationNames.front());
        for (const std::string_view name : repo::kKustomizationNames) {
            const std::string known = repo::join_path(root, name);
            file = repository.tree().kind(known) == repo::EntryKind::File ? known : file;
        }
        const repo::OverlayTree tree(repository.tree(), {{repo::join_path(root, kSync), text},
                                                         {file, std::move(kustomization)}});
        KustomizationReader reader(tree, sources);
        made = TRY(builder.patched_objects(tree, reader, root));
    } else {
        made = repository.read(instance.file, text);
        std::erase_if(made, [](const EngineObject& object) {
            return is_kind(object.root, kFluxGroup, "Kustomization");
        });
    }
    for (EngineObject& object : made) {
        Value* source = object.root.at({"spec", "sourceRef"}) == nullptr
                            ? nullptr
                            : object.root.find("spec")->find("sourceRef");
        if (source != nullptr && is_here) {
            source->put("kind", "GitRepository");  // whatever it is, it has the files of this tree
        }
        object.file = instance.file;
        set_places(object.root, sync->pos());
    }
    return made;
}

}  // namespace renderer::engines
