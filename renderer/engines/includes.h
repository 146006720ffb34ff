// Directories that the user includes or ignores, regardless of what engines apply: `--include` and
// `--ignore`, and `include` and `ignore` of .tailrender.yaml.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/build_unit.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/load_options.h"

namespace renderer::engines {

struct UnitChoice {
    std::vector<std::string> includes, ignores;  // normalized paths of the tree

    [[nodiscard]] bool ignores_below(const std::string& dir) const;
};

// Paths are relative to the current directory, else to `root`, the top of what is rendered. Those
// that are not in `dirs` are left out.
UnitChoice unit_choice(const DirList& dirs, const std::string& root,
                       const repo::LoadOptions& options, const Cluster& cluster);

// Returns the directories that the user includes and whose paths have a name that begins with a
// dot.
std::vector<std::string> hidden_includes(const repo::SourceTree& tree, const std::string& root,
                                         const repo::LoadOptions& options, const Cluster& cluster);

// Refuses paths that are not directories of the tree. `dirs`: all directories that are read. What
// is ignored may be one that is not read; the file's key may name one that was deleted since, with
// a warning.
void check_named_dirs(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                      const repo::LoadOptions& options, const Cluster& cluster,
                      Diagnostics& diagnostics);

// Adds a unit for each of the directories, with everything below it that is not part of a unit.
void add_includes(const GitOpsTree& repository, KustomizationReader& reader,
                  const std::vector<std::string>& includes, std::vector<BuildUnit>& units);

}  // namespace renderer::engines
