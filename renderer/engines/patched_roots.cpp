#include "renderer/engines/patched_roots.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/engine_groups.h"
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

// Returns the part of a FluxInstance, or of the values of a chart that makes one, with this name.
const Value* instance_part(const Value& instance, std::string_view name) {
    for (const Value* part :
         {instance.at({"spec", name}), instance.at({"spec", "values", "instance", name}),
          instance.at({"instance", name})}) {
        if (part != nullptr) {
            return part;
        }
    }
    return nullptr;
}

// Returns the patches of the instance that may change what it makes for `sync`.
Value patches_of(const Value& instance) {
    const Value* kustomize = instance_part(instance, "kustomize");
    Value patches = Value::list();
    for (const Value& patch :
         items_of(kustomize == nullptr ? nullptr : kustomize->find("patches"))) {
        if (may_change_unit(patch)) {
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

}  // namespace

void take_patched_roots(GitOpsTree& repository, KustomizationReader& reader, RootFiles& files,
                        UnitBuilder& builder) {
    std::set<std::string> dirs;
    for (const EngineObject& object : repository.objects()) {
        const std::vector<std::string> tops =
            may_be_root(repository, object) ? files.tops(object.file) : std::vector<std::string>();
        if (tops.size() == 1) {
            dirs.insert(tops.front());
        }
    }
    for (const EngineObject& instance : repository.instances()) {
        for (std::string& dir : files.tops(instance.file)) {
            dirs.insert(std::move(dir));
        }
    }
    std::vector<EngineObject> patched;
    for (const std::string& dir : dirs) {
        if (auto built = builder.patched_objects(repository.tree(), reader, dir)) {
            for (EngineObject& object : *built) {
                patched.push_back(std::move(object));
            }
        }
    }
    repository.take_patched(std::move(patched));
}

Result<std::vector<EngineObject>> patched_sync(const GitOpsTree& repository, SourceMap& sources,
                                               UnitBuilder& builder, const EngineObject& instance,
                                               const std::string& dir) {
    constexpr std::string_view kSync = "sync-of-flux-instance.yaml";
    const std::string& root = repository.root();
    const Value* sync = instance_part(instance.root, "sync");
    Value patches = patches_of(instance.root);
    if (sync == nullptr || patches.size() == 0) {
        return std::vector<EngineObject>();
    }
    const std::string path = repo::is_within(dir, root) ? repo::relative_path(dir, root)
                                                        : std::string(text_of(*sync, {"path"}));
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
    const repo::OverlayTree tree(repository.tree(), {{repo::join_path(root, kSync),
                                                      text_of_objects(instance.root, *sync, path)},
                                                     {file, std::move(kustomization)}});
    KustomizationReader reader(tree, sources);
    std::vector<EngineObject> made = TRY(builder.patched_objects(tree, reader, root));
    for (EngineObject& object : made) {
        object.file = instance.file;
        set_places(object.root, sync->pos());
    }
    return made;
}

}  // namespace renderer::engines
