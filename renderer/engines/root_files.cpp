#include "renderer/engines/root_files.h"

#include <algorithm>

#include "renderer/engines/liveness.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

RootFiles::RootFiles(const GitOpsTree& repository, KustomizationReader& reader,
                     const std::vector<std::string>& ignores)
    : repository_(repository),
      ignores_(ignores),
      listings_(repository, reader, [this](const std::string& path) { return is_excluded(path); }) {
}

bool RootFiles::is_excluded(const std::string& path) const {
    return is_archived(repository_, path) ||
           std::ranges::any_of(ignores_, [&](const std::string& ignored) {
               return repo::is_within(path, ignored);
           });
}

bool RootFiles::is_beside(const BuildUnit& unit, const std::string& file) const {
    return has_content(unit) && unit.dir != repository_.root() && repo::is_within(file, unit.dir) &&
           !unit.claims.contains(file);
}

bool RootFiles::is_patch(const Candidate& candidate, const std::vector<Candidate>& all) {
    return listings_.is_patch(candidate.file) ||
           (candidate.is_partial && std::ranges::any_of(all, [&](const Candidate& other) {
                return !other.refused && other.name == candidate.name;
            }));
}

std::vector<const Candidate*> RootFiles::loose_kustomizations(const std::vector<Candidate>& all) {
    std::vector<const Candidate*> found;
    for (const Candidate& candidate : all) {
        if (candidate.is_flux && !is_left_out(candidate.file) && !is_patch(candidate, all)) {
            found.push_back(&candidate);
        }
    }
    return found;
}

std::vector<BuildUnit> RootFiles::units_of(const Candidate& root) {
    return root.refused && tops(root.file).empty() ? std::vector<BuildUnit>{*root.refused}
                                                   : root.units;
}

bool RootFiles::may_be_root(const std::string& file, const std::vector<BuildUnit>& units) {
    return !is_excluded(file) && !is_left_out(file) && !listings_.is_patch(file) &&
           std::ranges::none_of(units,
                                [&](const BuildUnit& unit) { return is_beside(unit, file); });
}

}  // namespace renderer::engines
