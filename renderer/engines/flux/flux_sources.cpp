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

namespace {

// Returns the tag or commit of a GitRepository, "" if it follows a branch or a range of versions,
// nothing if a variable decides. Source: fluxcd/pkg git/gogit/client.go (Clone).
std::optional<std::string> revision_in(const Value& source) {
    std::string_view revision;
    for (const std::string_view field : {"commit", "name", "tag"}) {
        revision = revision.empty() ? text_of(source, {"spec", "ref", field}) : revision;
    }
    if (revision.find("${") != std::string_view::npos) {
        return std::nullopt;
    }
    return revision.starts_with("refs/heads/") ? std::string() : std::string(revision);
}

}  // namespace

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
    checkouts_.clear();
    artifacts_.clear();
    suspended_.clear();
    urls_.clear();
    rejected_.clear();
    for (const EngineObject& instance : instances) {
        const Value* sync = instance_part(instance.root, "sync");
        const std::string_view kind = sync == nullptr ? "" : text_of(*sync, {"kind"});
        const std::string_view url = sync == nullptr ? "" : text_of(*sync, {"url"});
        if ((kind.empty() || kind == "GitRepository") && !url.empty() &&
            url.find("${") == std::string_view::npos) {
            own_.insert(repository_name(url));
            const std::string_view ref = text_of(*sync, {"ref"});
            if (ref.starts_with(kTagRefs)) {
                const std::string_view name = text_of(*sync, {"name"});
                checkouts_[std::string(name.empty() ? "flux-system" : name)].push_back(
                    {.file = instance.file, .revision = std::string(ref)});
            }
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
            Checkout& checkout = checkouts_[name].emplace_back(Checkout{
                .file = object.file,
                .ns = std::string(text_of(object.root, {"metadata", "namespace"})),
                .ignored = std::string(text_of(object.root, {"spec", "ignore"})),
                .revision = has_own_field(object.root) ? revision_in(object.root) : std::nullopt});
            for (const Value& dir : items_of(object.root.at({"spec", "sparseCheckout"}))) {
                checkout.tops.push_back(repo::path_inside(root_, text_of(dir)));
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

std::optional<std::string> FluxSources::revision_of(std::string_view source,
                                                    const std::string& file,
                                                    const std::string& cluster) const {
    const std::size_t slash = source.find('/');
    const std::string_view ns = source.substr(0, slash);
    std::vector<const Checkout*> known = checkouts_of(source.substr(slash + 1));
    std::erase_if(known, [&](const Checkout* one) {
        return !one->revision || (!ns.empty() && !one->ns.empty() && one->ns != ns);
    });
    keep_nearest(known, [&](const Checkout* one) {
        const bool is_of_cluster =
            !cluster.empty() && repo::is_within(one->file, repo::path_inside(root_, cluster));
        return static_cast<std::size_t>(is_of_cluster);
    });
    keep_nearest_file(known, file);
    const bool agree = std::ranges::all_of(
        known, [&](const Checkout* one) { return one->revision == known.front()->revision; });
    return agree && !known.empty() ? known.front()->revision : std::nullopt;
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

std::vector<const FluxSources::Checkout*> FluxSources::checkouts_of(std::string_view source) const {
    std::vector<const Checkout*> found;
    const auto known = checkouts_.find(source);
    if (known != checkouts_.end()) {
        for (const Checkout& one : known->second) {
            found.push_back(&one);
        }
    }
    return found;
}

void FluxSources::keep_nearest_file(std::vector<const Checkout*>& checkouts,
                                    const std::string& file) {
    keep_nearest(checkouts, [&](const Checkout* one) {
        return one->file == file ? std::string::npos : repo::shared_directories(one->file, file);
    });
}

std::shared_ptr<Artifact> FluxSources::artifact(std::string_view source, const std::string& file,
                                                std::vector<std::string> tops) {
    // Where several are nearest and differ, no patterns and no tops are used.
    std::vector<const Checkout*> nearest = checkouts_of(source);
    keep_nearest_file(nearest, file);
    const bool agree = !nearest.empty() && std::ranges::all_of(nearest, [&](const Checkout* one) {
        return one->ignored == nearest.front()->ignored && one->tops == nearest.front()->tops;
    });
    const std::string patterns = agree ? nearest.front()->ignored : std::string();
    if (tops.empty() && agree) {
        tops = nearest.front()->tops;
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
