// Directories that the user wants or does not want rendered, whatever engines apply: `--include`
// and `--ignore`, and `include` and `ignore` of .tailrender.yaml.
#pragma once

#include <string>
#include <vector>

#include "renderer/load/inputs.h"
#include "renderer/load/kustomize/kustomization.h"
#include "renderer/load/load.h"
#include "renderer/load/roots/build_unit.h"
#include "renderer/load/roots/gitops_tree.h"
#include "renderer/load/values/cluster_config.h"

namespace renderer {

struct UnitChoice {
    std::vector<std::string> includes, ignores;  // normal paths, as the tree knows them

    [[nodiscard]] bool ignores_below(const std::string& dir) const;
};

// A path is relative to the current directory, else to `root`, the top of what is rendered. `dirs`:
// all of the tree.
UnitChoice unit_choice(const DirList& dirs, const std::string& root, const LoadOptions& options,
                       const Cluster& cluster, Diagnostics& diagnostics);

// Adds a unit for each of the directories: all below it that is part of no unit.
void add_includes(const GitOpsTree& repository, KustomizationReader& reader,
                  const std::vector<std::string>& includes, std::vector<BuildUnit>& units);

// One object is one device: of two that two units apply alike, and of one that lies in an included
// directory as well, the first counts; what is applied counts before what is kept. `file_of`: input
// file of each source, kNone for others.
void drop_applied_twice(const std::vector<InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, Loaded& loaded);

}  // namespace renderer
