// Which files someone applies by hand, where no unit applies them.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/candidates.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/listings.h"

namespace renderer {

class RootFiles {
public:
    // `ignores`: directories that the user leaves out.
    RootFiles(const GitOpsTree& repository, KustomizationReader& reader,
              const std::vector<std::string>& ignores);

    // Nothing in it is applied by hand.
    [[nodiscard]] bool is_excluded(const std::string& path) const;

    // There are kustomizations in its directory or above, and no top lists it.
    bool is_left_out(const std::string& file) { return listings_.is_left_out(file); }

    // The topmost kustomizations that list it.
    std::vector<std::string> tops(const std::string& file) { return listings_.tops(file); }

    // It lies beside what the unit applies, and was taken out of it.
    [[nodiscard]] bool is_beside(const BuildUnit& unit, const std::string& file) const;

    // It changes an object that another file has, or that is not in the tree.
    bool is_patch(const Candidate& candidate, const std::vector<Candidate>& all);

    // What its engine makes of it. A kustomization that lists it may add what it lacks.
    std::vector<BuildUnit> units_of(const Candidate& root);

    // Of a file that none of the units applies, and that is no object.
    bool may_be_root(const std::string& file, const std::vector<BuildUnit>& units);

private:
    const GitOpsTree& repository_;
    const std::vector<std::string>& ignores_;
    Listings listings_;
};

}  // namespace renderer
