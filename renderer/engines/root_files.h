// Finds the files that are applied by hand if no unit applies them.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/candidates.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/listings.h"

namespace renderer::engines {

class RootFiles {
public:
    // `ignores`: directories that the user ignores.
    RootFiles(const GitOpsTree& repository, KustomizationReader& reader,
              const std::vector<std::string>& ignores);

    // True if nothing in the path is applied by hand.
    [[nodiscard]] bool is_excluded(const std::string& path) const;

    // True if the directory or a parent has a kustomization, and no topmost one lists the file.
    bool is_left_out(const std::string& file) { return listings_.is_left_out(file); }

    // Returns the topmost kustomizations that list the file.
    std::vector<std::string> tops(const std::string& file) { return listings_.tops(file); }

    // True if the file is in the directory of the unit but excluded from it.
    [[nodiscard]] bool is_beside(const BuildUnit& unit, const std::string& file) const;

    // True if it changes an object of another file or one that is not in the tree.
    bool is_patch(const Candidate& candidate, const std::vector<Candidate>& all);

    // Returns the candidates of Flux that may be applied by hand.
    std::vector<const Candidate*> loose_kustomizations(const std::vector<Candidate>& all);

    // Returns the units of a root. A kustomization that lists it may add fields that it lacks.
    std::vector<BuildUnit> units_of(const Candidate& root);

    // True if a file that no unit applies, and that has no valid object, may be a root.
    bool may_be_root(const std::string& file, const std::vector<BuildUnit>& units);

private:
    const GitOpsTree& repository_;
    const std::vector<std::string>& ignores_;
    Listings listings_;
};

}  // namespace renderer::engines
