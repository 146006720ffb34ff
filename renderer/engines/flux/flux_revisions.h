// The tags and commits that GitRepositories of this repository name. Flux then does not apply what
// the tree has. Source: fluxcd/pkg git/gogit/client.go (Clone).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/engine_object.h"

namespace renderer::engines {

// Returns the tag of "refs/tags/v1.0.0", "" for other references, which move.
std::string_view tag_of_ref(std::string_view ref);

class FluxRevisions {
public:
    // Reads the GitRepositories, in place of those that were learned before. `instances`: objects
    // that give a path to an installed Flux Operator, which makes a GitRepository.
    void learn(const std::vector<EngineObject>& objects,
               const std::vector<EngineObject>& instances);

    // Returns the tag or commit of a GitRepository, "" if it follows a branch or versions, nothing
    // if it is not known. `source`: "flux-system/den". `file`: contains the object that refers to
    // it. `cluster`: the directory of its cluster, "" if not known. `applied`: files that the
    // cluster applies.
    [[nodiscard]] std::optional<std::string> find(std::string_view source, const std::string& file,
                                                  const std::string& cluster,
                                                  const std::set<std::string>& applied) const;

private:
    struct Source {
        std::string file;
        std::string ns;  // "" if not known
        bool is_instance = false;
        std::optional<std::string> revision;
    };

    std::map<std::string, std::vector<Source>, std::less<>> sources_;  // by name
};

}  // namespace renderer::engines
