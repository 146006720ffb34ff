// Finds the inputs of a tree, and whether units reach them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer::engines {

// Returns the number of the unit's files with inputs.
std::size_t input_count(GitOpsTree& repository, const BuildUnit& unit);

// True if a unit that the unit applies, at any depth, has inputs.
bool gives_inputs(GitOpsTree& repository, const std::vector<BuildUnit>& units, std::size_t index);

// Returns the unit's files that install the operator's chart: its values are settings.
std::set<std::string> operator_files(const GitOpsTree& repository, const BuildUnit& unit);

// True for folders of manifests that are archived rather than applied.
bool is_archived(const GitOpsTree& repository, const std::string& path);

// Adds a refused unit for each file that its engine rejects: the engine then applies nothing of the
// unit with that file. `is_root`: true if the file is applied by hand unless a unit applies it.
void add_refused_files(const GitOpsTree& repository,
                       const std::function<bool(const std::string&)>& is_root,
                       std::vector<BuildUnit>& units);

// Returns the files with inputs that are not part of any unit, by directory, and those that install
// the operator, if no unit does: its values are settings.
std::map<std::string, std::vector<std::string>> unreached_inputs(
    GitOpsTree& repository, const std::vector<BuildUnit>& units);

// For an external unit whose source may be made from this repository: returns one of the files in
// `unreached` that it could apply, "" if there is none. Any directory may be the top of the source.
std::string could_apply(const GitOpsTree& repository, KustomizationReader& reader,
                        const BuildUnit& unit,
                        const std::map<std::string, std::vector<std::string>>& unreached);

}  // namespace renderer::engines
