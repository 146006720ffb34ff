// Finds out which of the repositories in Applications and ApplicationSets is this tree: the one
// with the most paths that exist here. A clone does not say it: forks and mirrors have other
// addresses. Without any, it may be those whose paths nearly exist, or end in directories that do.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/engines/engine_object.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Returns "owner/name" of an https, ssh or scp address, in lower case.
std::string repository_name(std::string_view url);

class OwnRepository {
public:
    // `tree` must outlive this object; `root` is its top directory.
    OwnRepository(const repo::SourceTree& tree, std::string root)
        : tree_(tree), root_(std::move(root)) {}

    // Does nothing if an earlier call has found the repository.
    void learn(const std::vector<EngineObject>& objects);

    [[nodiscard]] bool is_own(std::string_view url) const;
    // True if several repositories have as many paths, and this is one of them.
    [[nodiscard]] bool may_be_own(std::string_view url) const;
    // Also false if it is not known which repository this is.
    [[nodiscard]] bool is_other(std::string_view url) const;

private:
    const repo::SourceTree& tree_;
    std::string root_;
    std::string name_;                               // "" if not known
    std::set<std::string, std::less<>> candidates_;  // if several may be it
};

}  // namespace renderer::engines
