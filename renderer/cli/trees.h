// Makes rendered trees, with the checks of all verbs that write or compare them: a plaintext Secret
// must not get into Git, and the output must not be empty by accident.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/emit/emit.h"

namespace renderer::cli {

// The hint for a Secret in the sources that must not be written.
inline constexpr std::string_view kForeignSecretHint =
    "encrypt it with kubeseal or SOPS, use an ExternalSecret, or create it in the cluster";

// Returns the real path, then the paths of all directories above it.
std::vector<std::filesystem::path> with_parents(const std::string& path);

// Returns true if an empty output is no mistake: with --allow-empty, or if the sources have custom
// resources, which may all be consumed.
bool may_be_empty(const Options& options, const load::Loaded& loaded);
Diagnostic empty_output(const Options& options, const load::Loaded& loaded);

// Where the tree is written: to a branch, or to a directory, which may be in a work tree of Git.
enum class Destination { Directory, Branch };

// Returns the tree of each cluster below `root`. Returns no trees after an error, which is added to
// its run.
std::vector<emit::RenderedTree> make_trees(const Options& options, Destination destination,
                                           const std::string& root, ClusterRuns& runs);

// Adds an error to the first run whose tree is empty by mistake. Asked after find_removals, which
// says more where devices are missing.
bool refuse_empty(const Options& options, const std::vector<emit::RenderedTree>& trees,
                  ClusterRuns& runs);

// Returns the names of all clusters if the command renders all of them and the output has a
// directory for each. Other trees in the output are then of deleted clusters.
std::optional<std::vector<std::string>> all_clusters(const Options& options, ClusterRuns& runs);

// Adds the trees of deleted clusters to `trees` with --prune. Otherwise it only warns about them,
// because they may be the output of other sources.
void add_gone_trees(const Options& options, ClusterRuns& runs, std::vector<emit::RenderedTree> gone,
                    std::vector<emit::RenderedTree>& trees);

// The trees that were written, with a report for each. `branch` is empty for directories.
struct Written {
    std::string_view branch;
    std::span<const emit::RenderedTree> trees;
    std::span<const emit::WriteReport> reports;
};
// Prints, unless --quiet, the devices and counts of each run, and the changes of each tree.
void report_trees(const Options& options, ClusterRuns& runs, Console& console,
                  const Written& written);
// Prints, unless --quiet, devices and counts, then `written`.
void report(const Options& options, const Run& run, Console& console, const std::string& written);

}  // namespace renderer::cli
