// Rendered trees and what every verb that writes or compares them asks first: no plaintext Secret
// for Git, no empty output by accident.
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

namespace renderer {

// What to do about a Secret among the sources that must not be written.
inline constexpr std::string_view kForeignSecretHint =
    "encrypt it with \"tailrender seal\" or SOPS, use an ExternalSecret, or create it in the "
    "cluster";

// A real path, then those of the directories above it.
std::vector<std::filesystem::path> with_parents(const std::string& path);

// Custom resources alone, which leave nothing behind, are no mistake.
bool may_be_empty(const Options& options, const Loaded& loaded);
Diagnostic empty_output(const Options& options, const Loaded& loaded);

// Where the tree goes: into Git, or to a directory, which may be in a work tree of Git.
enum class Destination { Directory, Branch };

// The tree of each cluster below `root`; nothing after an error, which is added to its run.
std::vector<RenderedTree> make_trees(const Options& options, Destination destination,
                                     const std::string& root, ClusterRuns& runs);

// The names of all clusters, if this run is about all of them and the output has a directory for
// each: whatever else is rendered there is of a cluster that is gone.
std::optional<std::vector<std::string>> all_clusters(const Options& options, ClusterRuns& runs);

// Takes the trees of clusters that are gone along, or only warns of them: they may be those of
// another source.
void add_gone_trees(const Options& options, ClusterRuns& runs, std::vector<RenderedTree> gone,
                    std::vector<RenderedTree>& trees);

// What was written: a report per tree. `branch` is empty for directories.
struct Written {
    std::string_view branch;
    std::span<const RenderedTree> trees;
    std::span<const WriteReport> reports;
};
// Unless --quiet: of each run its devices and counts, and of each tree what happened to it.
void report_trees(const Options& options, ClusterRuns& runs, Console& console,
                  const Written& written);
// Unless --quiet: devices and counts, then `written`.
void report(const Options& options, const Run& run, Console& console, const std::string& written);

}  // namespace renderer
