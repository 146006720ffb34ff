// Who gains and who loses what, for `diff` and the picture of a change: reads the policy of each
// side, and the devices.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/access/evaluate.h"
#include "renderer/access/report.h"
#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/options.h"
#include "renderer/cli/policy_file.h"
#include "renderer/core/result.h"
#include "renderer/diff/compare.h"
#include "renderer/policy/needs.h"
#include "renderer/repo/source_tree.h"

namespace renderer::cli {

// A side of a change.
struct ReadSide {
    std::string_view what;  // "BASE" or "HEAD"
    const repo::SourceTree& tree;
    const std::string& path;   // of the side in `tree`
    bool is_rendered = false;  // not made from sources
};

// A side with its policy.
struct AccessSide {
    bool is_named = false;     // a flag or the tree names a policy file
    bool is_broken = false;    // the policy has errors, which are in a new run of the side
    std::string missing = {};  // why the side has no policy: "BASE has no \"policy.hujson\""
    std::optional<PolicyFile> file = {};
    std::optional<access::Policy> policy = {};
    const SourceMap* sources = nullptr;
    std::vector<access::Cluster> clusters = {};
    std::vector<std::string> lacking = {};  // entries that the devices need, as text
    std::map<std::string, std::string, std::less<>> no_funnel = {};  // by diff::key_of_funnel

    [[nodiscard]] bool is_ready() const { return policy.has_value(); }
};

// Reads the policy that a flag or the tree names, and the devices of the side, cluster by cluster.
class AccessSideReader {
public:
    AccessSideReader(const Options& options, ReadSide side) : options_(options), side_(side) {}

    // `tree` is what the run makes.
    void add(const Run& run, const diff::ClusterTree& tree);
    // Adds a run with the policy file, and what is wrong with it, to those of the side.
    AccessSide finish(ClusterRuns& runs);

private:
    struct FunnelNeed {
        std::string cluster, parent, entry;
    };

    void read_policy(const Run* first);
    void add_needs(const Run& run);
    [[nodiscard]] std::string text_of(const policy::Need& need) const;

    const Options& options_;
    ReadSide side_;
    bool has_begun_ = false;
    std::optional<Run> policy_run_;
    AccessSide read_;
    policy::Needs needs_;  // of all clusters
    std::vector<FunnelNeed> funnel_needs_;
};

// Returns a usage error for flags that cannot be obeyed: no policy is named where one is needed,
// neither side has the file, a selector of --fail-on or a Tailnet is not known.
Result<Unit> check_access(const Options& options, const AccessSide& base, const AccessSide& head);

// Adds to the comparison who gains and loses what.
void compare_access(const AccessSide& base, const AccessSide& head, diff::Comparison& comparison);

// Returns an error for everything that `--fail-on gains:WHO` finds.
std::vector<Diagnostic> failed_gains(const Options& options, const AccessSide& base,
                                     const AccessSide& head, const diff::Comparison& comparison);

}  // namespace renderer::cli
