// The part of GitOpsTree about sources of Flux: which are this repository, which are available
// locally, and which files they exclude.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

bool GitOpsTree::is_suspended(std::string_view kind, std::string_view source) const {
    return suspended_.contains(fmt::format("{}/{}", kind, source));
}

bool GitOpsTree::has_own_source(const Value& kustomization) const {
    return is_own_source(text_of(kustomization, {"spec", "sourceRef", "kind"}),
                         text_of(kustomization, {"spec", "sourceRef", "name"}));
}

bool GitOpsTree::is_own_source(std::string_view kind, std::string_view name) const {
    const auto defined = defined_.find(std::string(name));
    return kind == "GitRepository" && (defined == defined_.end() || own_.contains(defined->second));
}

bool GitOpsTree::is_outside(const std::string& file) const {
    return local_ != nullptr && local_->is_outside(file);
}

std::optional<std::string> GitOpsTree::local_source(const Value& source_ref,
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

std::optional<std::string> GitOpsTree::local_repository(std::string_view url) const {
    return local_ == nullptr ? std::nullopt : local_->find_address(url);
}

std::set<std::string> GitOpsTree::foreign_sources() const {
    std::set<std::string> names;
    for (const auto& [name, repository] : defined_) {
        if (!own_.contains(repository)) {
            names.insert(name);
        }
    }
    return names;
}

// Of several sources with that name, the one in the same file is used; if there is none and they
// differ, no patterns are.
std::string GitOpsTree::ignored_by(std::string_view source, const std::string& file) const {
    const auto known = ignored_.find(source);
    if (known == ignored_.end()) {
        return {};
    }
    const std::vector<Ignored>& sources = known->second;
    const auto beside = std::ranges::find(sources, file, &Ignored::file);
    if (beside != sources.end()) {
        return beside->patterns;
    }
    const std::string& first = sources.front().patterns;
    const bool agree =
        std::ranges::all_of(sources, [&](const Ignored& one) { return one.patterns == first; });
    return agree ? first : std::string();
}

std::shared_ptr<Artifact> GitOpsTree::artifact(std::string_view source, const std::string& file,
                                               const std::vector<std::string>& tops) {
    const std::string patterns = ignored_by(source, file);
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
