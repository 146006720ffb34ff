// Which inputs a tree holds, and what becomes of them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/gitops_tree.h"

namespace renderer {

// Files of the unit that hold inputs.
std::size_t input_count(GitOpsTree& repository, const BuildUnit& unit);

// Folders of manifests that are kept, and not applied.
bool is_archived(const GitOpsTree& repository, const std::string& path);

// Adds what a file would say that its engine refuses: it applies nothing of the file's unit then.
// `is_root`: someone applies the file by hand, unless a unit does.
void add_refused_files(const GitOpsTree& repository,
                       const std::function<bool(const std::string&)>& is_root,
                       std::vector<BuildUnit>& units);

// Files with inputs that are part of no unit, by directory.
std::map<std::string, std::vector<std::string>> unreached_inputs(
    GitOpsTree& repository, const std::vector<BuildUnit>& units);

// Of an external unit whose source may be made of this repository: one of the files, which are
// listed by directory, that it could apply; "" for none. Any directory may be the source's top.
std::string could_apply(const GitOpsTree& repository, KustomizationReader& reader,
                        const BuildUnit& unit,
                        const std::map<std::string, std::vector<std::string>>& unreached);

}  // namespace renderer
