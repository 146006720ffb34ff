// Makes rendered trees, with the checks of all verbs that write or compare them: a plaintext Secret
// must not get into Git, and the output must not be empty by accident.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/cli/removals.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/packed_tree.h"

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

// What is printed of a run beside its devices, and only a whole run tells.
struct RunCounts {
    std::string totals, dataplane;
};
RunCounts counts_of(const Run& run);

// The trees of all clusters, taken from their runs one after the other. What is wrong with them is
// reported only once all clusters could be rendered.
class OutputTrees {
public:
    // `root` has a directory for each cluster, if they have names.
    OutputTrees(const Options& options, Destination destination, std::string root,
                EarlierTrees earlier)
        : options_(options),
          destination_(destination),
          root_(std::move(root)),
          earlier_(std::move(earlier)) {}

    // Is called for each run (ClusterRuns::Take).
    void take(const Run& run, Diagnostics& later);

    // Finds the trees of earlier runs below the root, except those of the clusters.
    using FindGone = std::function<Result<std::vector<emit::RenderedTree>>(
        const std::string& root, std::span<const std::string> clusters)>;
    // Adds the trees of deleted clusters with --prune; otherwise warns about them, because they may
    // be the output of other sources. Returns false after errors, which are added to the runs: a
    // device may not be removed, or a tree is empty by mistake.
    Result<bool> check(ClusterRuns& runs, const FindGone& find_gone);

    // First the trees of the runs, in their order, then those of deleted clusters.
    [[nodiscard]] std::span<const emit::PackedTree> all() const { return trees_; }
    // Returns one line for each tree that loses devices.
    [[nodiscard]] const std::string& removals() const { return removals_; }
    // Returns the errors of the gates that compare with earlier trees.
    Result<std::vector<Diagnostic>> failed_gates();
    // Prints, unless --quiet, the devices and counts of each run, and the summary of what was
    // written of each tree.
    void report(ClusterRuns& runs, Console& console, std::span<const std::string> summaries) const;
    // Returns "DIR: 1 created, …" for a tree.
    [[nodiscard]] std::string summary(std::size_t tree, std::string_view branch,
                                      const emit::WriteReport& done) const;

private:
    struct Taken {
        Diagnostics found;  // of removals
        bool are_explained = true;
        std::optional<Error> failure;  // while the earlier tree was read
        std::optional<Diagnostic> empty;
        RunCounts counts;
        bool cluster_level = false;
    };

    Result<emit::RenderedTree> make_tree(const Run& run) const;
    void compare(const Run* run, const emit::RenderedTree& tree, Taken& taken);
    void add_gates(const Run* run, const emit::RenderedTree& tree);
    Result<std::optional<std::vector<std::string>>> all_clusters(ClusterRuns& runs) const;
    void add_gone(std::vector<emit::RenderedTree> gone, Diagnostics& diagnostics);

    const Options& options_;
    Destination destination_;
    std::string root_;
    EarlierTrees earlier_;
    bool is_refused_ = false;  // a run or a tree has errors
    std::deque<Taken> taken_;  // by run, then by deleted cluster
    std::vector<emit::PackedTree> trees_;
    std::string removals_;
    std::vector<std::pair<std::size_t, Diagnostic>> gates_;  // by tree
    std::optional<Error> gates_failure_;
};

// Prints, unless --quiet, devices and counts, then `written`.
void report(const Options& options, const Run& run, const RunCounts& counts, Console& console,
            const std::string& written);

}  // namespace renderer::cli
