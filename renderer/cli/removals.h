// Finds devices that an earlier run rendered and this one does not. Each removal needs a cause in
// the sources (I12), and the devices are listed in one line.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"
#include "renderer/emit/emit.h"

namespace renderer::cli {

// Reads the trees that earlier runs wrote.
struct EarlierTrees {
    std::function<Result<repo::TreeInventory>(const std::string& dir)> inventory;
    std::function<Result<std::vector<emit::OutputFile>>(const std::string& dir,
                                                        const repo::TreeInventory&)>
        files;
};

// Returns readers for trees on the disk.
EarlierTrees earlier_trees();

// Adds the paths of the units whose devices the inventory lists.
void add_units(const repo::TreeInventory& inventory, std::set<std::string, std::less<>>& units);

// Returns the paths of the units whose devices earlier runs wrote to these directories.
Result<std::set<std::string, std::less<>>> earlier_units(const std::vector<std::string>& dirs,
                                                         const EarlierTrees& earlier);

struct Removals {
    bool are_explained = true;  // false: errors were added to the runs
    std::string lines;          // one for each tree that loses devices; public devices first
};

// The first trees are those of the runs, in their order; the others are of deleted clusters.
Result<Removals> find_removals(const Options& options, ClusterRuns& runs,
                               const std::vector<emit::RenderedTree>& trees,
                               const EarlierTrees& earlier);

// Adds an error to the run for each reason for which devices or settings of an earlier tree may not
// be removed. `now`: what the run renders, without its files; `where`: names the earlier tree.
// Returns false if there are any.
bool refuse_unexplained(const Options& options, const std::string& where,
                        const repo::TreeInventory& earlier, const repo::TreeInventory& now,
                        Run& run);

}  // namespace renderer::cli
