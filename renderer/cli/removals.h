// Finds devices that an earlier run rendered and this one does not. Each removal needs a cause in
// the sources (I12), and the devices are listed in one line.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "renderer/cli/options.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/emit/emit.h"
#include "renderer/pipeline.h"

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
    bool are_explained = true;  // false: errors were added
    std::string line;           // "" if the tree loses no device; public devices first
};

// Compares a tree with what an earlier run wrote in its directory. `run`: what renders it; null for
// the tree of a deleted cluster, whose devices may always be removed.
Result<Removals> find_removals(const Options& options, const Run* run,
                               const emit::RenderedTree& tree, const EarlierTrees& earlier,
                               Diagnostics& diagnostics);

// Adds an error for each reason for which devices or settings of an earlier tree may not be
// removed. `now`: what the run renders, without its files; `where`: names the earlier tree. Returns
// false if there are any.
bool refuse_unexplained(const Options& options, const std::string& where,
                        const repo::TreeInventory& earlier, const repo::TreeInventory& now,
                        const Run& run, Diagnostics& diagnostics);

}  // namespace renderer::cli
