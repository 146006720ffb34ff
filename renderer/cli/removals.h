// Devices that an earlier run gave and this one does not: each needs a cause in the sources (I12),
// and is named in one line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"
#include "renderer/emit/emit.h"

namespace renderer {

// Where trees are written to, as an earlier run left it.
struct EarlierTrees {
    std::function<Result<TreeInventory>(const std::string& dir)> inventory;
    std::function<Result<std::vector<OutputFile>>(const std::string& dir, const TreeInventory&)>
        files;
};

// On the disk.
EarlierTrees earlier_trees();

struct Removals {
    bool are_explained = true;  // false: errors were added to the runs
    std::string lines;          // one for each tree that loses devices, those that are public first
};

// The first trees are those of the runs, in their order; the others are of clusters that are gone.
Result<Removals> find_removals(const Options& options, ClusterRuns& runs,
                               const std::vector<RenderedTree>& trees, const EarlierTrees& earlier);

}  // namespace renderer
