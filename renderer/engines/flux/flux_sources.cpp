#include "renderer/engines/flux/flux_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/argo/own_repository.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/nearest.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

bool may_change_objects(const repo::SourceTree& tree, const std::string& path) {
    constexpr std::array<std::string_view, 4> kFields = {"components", "patches", "replacements",
                                                         "transformers"};
    const Result<std::string> text = tree.read(path);
    return text && std::ranges::any_of(kFields, [&](std::string_view field) {
               return text->find(field) != std::string::npos;
           });
}

bool changes_objects(const Value& kustomization) {
    return kustomization.at({"spec", "patches"}) != nullptr ||
           kustomization.at({"spec", "components"}) != nullptr;
}

FluxSources::FluxSources(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                         SourceMap& sources, std::string output_dir,
                         std::shared_ptr<const LocalSources> local)
    : tree_(tree),
      dirs_(dirs),
      root_(root),
      sources_(sources),
      output_dir_(std::move(output_dir)),
      local_(std::move(local)) {}

// A Kustomization in the directory that it applies has this repository as its source. The root
// contains everything, so there only the name that `flux bootstrap` uses decides.
std::set<std::string> FluxSources::own_names(const std::vector<EngineObject>& objects) const {
    std::set<std::string> names = {"flux-system"};
    for (const EngineObject& object : objects) {
        const std::string dir = repo::path_inside(root_, text_of(object.root, {"spec", "path"}));
        if (is_kind(object.root, kFluxGroup, "Kustomization") && dir != root_ &&
            repo::is_within(repo::parent_path(object.file), dir)) {
            names.emplace(text_of(object.root, {"spec", "sourceRef", "name"}));
        }
    }
    return names;
}

// True if a kustomization in the directory of a source or above it, or a Kustomization that applies
// it, may change it.
bool FluxSources::may_be_patched(const EngineObject& source,
                                 const std::vector<EngineObject>& objects) const {
    for (std::string dir = repo::parent_path(source.file); repo::is_within(dir, root_);
         dir = repo::parent_path(dir)) {
        for (const std::string_view name : repo::kKustomizationNames) {
            if (may_change_objects(tree_, repo::join_path(dir, name))) {
                return true;
            }
        }
        if (dir == root_) {
            break;
        }
    }
    return std::ranges::any_of(objects, [&](const EngineObject& one) {
        return is_kind(one.root, kFluxGroup, "Kustomization") && changes_objects(one.root) &&
               repo::is_within(source.file,
                               repo::path_inside(root_, text_of(one.root, {"spec", "path"})));
    });
}

void FluxSources::learn(const std::vector<EngineObject>& objects,
                        const std::vector<EngineObject>& instances) {
    own_.clear();
    defined_.clear();
    ignored_.clear();
    artifacts_.clear();
    suspended_.clear();
    urls_.clear();
    rejected_.clear();
    revisions_.learn(objects, instances);
    for (const EngineObject& instance : instances) {
        const Value* sync = git_sync(instance.root);
        const std::string_view url = sync == nullptr ? "" : text_of(*sync, {"url"});
        if (!url.empty() && url.find("${") == std::string_view::npos) {
            own_.insert(repository_name(url));
        }
    }
    const std::set<std::string> names = own_names(objects);
    for (const EngineObject& object : objects) {
        if (text_of(object.root, {"apiVersion"}).starts_with(kSourceGroup)) {
            const std::string key = fmt::format("{}/{}", text_of(object.root, {"kind"}),
                                                text_of(object.root, {"metadata", "name"}));
            urls_.emplace(key, text_of(object.root, {"spec", "url"}));
            if (has_own_field(object.root)) {  // it is not a patch
                std::optional<IncompleteObject> fault = rejected_source(object.root);
                if (fault && may_be_patched(object, objects)) {
                    fault.reset();
                }
                const auto known = rejected_.try_emplace(key, fault).first;
                known->second = fault ? known->second : std::nullopt;
            }
            if (spelling_of(object.root.at({"spec", "suspend"})) == "true") {
                suspended_.insert(key);
            }
        }
        if (is_kind(object.root, kSourceGroup, "GitRepository")) {
            const std::string name(text_of(object.root, {"metadata", "name"}));
            const std::string url = repository_name(text_of(object.root, {"spec", "url"}));
            defined_[name] = url;
            Ignored& ignored = ignored_[name].emplace_back(
                Ignored{object.file, std::string(text_of(object.root, {"spec", "ignore"})), {}});
            for (const Value& dir : items_of(object.root.at({"spec", "sparseCheckout"}))) {
                ignored.tops.push_back(repo::path_inside(root_, text_of(dir)));
            }
            if (names.contains(name)) {
                own_.insert(url);
            }
        }
    }
}

bool FluxSources::is_suspended(std::string_view kind, std::string_view source) const {
    return suspended_.contains(fmt::format("{}/{}", kind, source));
}

const IncompleteObject* FluxSources::rejected(std::string_view kind, std::string_view name) const {
    const auto found = rejected_.find(fmt::format("{}/{}", kind, name));
    return found == rejected_.end() || !found->second ? nullptr : &*found->second;
}

std::string_view FluxSources::meant_source(std::string_view kind, std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [key, url] : urls_) {
        if (key.starts_with(fmt::format("{}/", kind))) {
            names.push_back(std::string_view(key).substr(kind.size() + 1));
        }
    }
    return meant_name(name, names);
}

bool FluxSources::has_own_source(const Value& kustomization) const {
    return is_own(text_of(kustomization, {"spec", "sourceRef", "kind"}),
                  text_of(kustomization, {"spec", "sourceRef", "name"}));
}

bool FluxSources::is_own(std::string_view kind, std::string_view name) const {
    const auto defined = defined_.find(std::string(name));
    return kind == "GitRepository" && (defined == defined_.end() || own_.contains(defined->second));
}

bool FluxSources::is_outside(const std::string& file) const {
    return local_ != nullptr && local_->is_outside(file);
}

std::optional<std::string> FluxSources::find_local(const Value& source_ref,
                                                   std::string_view ns) const {
    const std::string_view kind = text_of(source_ref, {"kind"});
    const std::string_view name = text_of(source_ref, {"name"});
    const std::string_view own = text_of(source_ref, {"namespace"});
    const auto url = urls_.find(fmt::format("{}/{}", kind, name));
    const std::string_view given = text_of(source_ref, {"url"});
    return local_ == nullptr
               ? std::nullopt
               : local_->find_object(kind, own.empty() ? ns : own, name,
                                     url == urls_.end() ? given : std::string_view(url->second));
}

std::optional<std::string> FluxSources::find_local(std::string_view url) const {
    return local_ == nullptr ? std::nullopt : local_->find_address(url);
}

std::set<std::string> FluxSources::foreign() const {
    std::set<std::string> names;
    for (const auto& [name, repository] : defined_) {
        if (!own_.contains(repository)) {
            names.insert(name);
        }
    }
    return names;
}

// Of several sources with that name, the one whose file is nearest is used: clusters have folders
// of their own. If there is no single nearest one and they differ, no patterns are.
FluxSources::Ignored FluxSources::ignored_by(std::string_view source,
                                             const std::string& file) const {
    const auto known = ignored_.find(source);
    if (known == ignored_.end()) {
        return {};
    }
    std::vector<const Ignored*> nearest;
    for (const Ignored& one : known->second) {
        nearest.push_back(&one);
    }
    keep_nearest_file(nearest, file);
    const bool agree = std::ranges::all_of(nearest, [&](const Ignored* one) {
        return one->patterns == nearest.front()->patterns && one->tops == nearest.front()->tops;
    });
    return agree ? *nearest.front() : Ignored();
}

std::shared_ptr<Artifact> FluxSources::artifact(std::string_view source, const std::string& file,
                                                std::vector<std::string> tops) {
    Ignored ignored = ignored_by(source, file);
    const std::string& patterns = ignored.patterns;
    if (tops.empty()) {
        tops = std::move(ignored.tops);
    }
    const auto [known, is_new] =
        artifacts_.try_emplace(fmt::format("{}\n{}", fmt::join(tops, "\n"), patterns));
    if (is_new) {
        repo::SourceIgnores ignores;
        for (const repo::WalkedDir* dir : dirs_) {
            if (dir->has_sourceignore) {
                const Result<std::string> text =
                    tree_.read(repo::join_path(dir->path, repo::kSourceIgnoreName));
                ignores.add(text ? *text : std::string(), dir->relative);
            }
        }
        ignores.add(patterns, {});
        ArtifactTree tree(tree_, root_, dirs_, std::move(ignores), tops);
        if (tree.leaves_out_any()) {
            known->second =
                std::make_shared<Artifact>(std::move(tree), sources_, output_dir_, local_);
        }
    }
    return known->second;
}

}  // namespace renderer::engines
