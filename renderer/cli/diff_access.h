// Who gains and who loses what, for `diff`: reads the policy of each side, and the devices.
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
#include "renderer/repo/source_tree.h"

namespace renderer::cli {

// A side, as `diff` has read it.
struct ReadSide {
    std::string_view what;  // "BASE" or "HEAD"
    const repo::SourceTree& tree;
    const std::string& path;   // of the side in `tree`
    bool is_rendered = false;  // not made from sources
    ClusterRuns& runs;
    const std::vector<diff::ClusterTree>& trees;
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

// Reads the policy that a flag or the tree names, and the devices of the side.
AccessSide read_access_side(const Options& options, const ReadSide& side);

// Returns a usage error for flags that cannot be obeyed: no policy is named where one is needed,
// neither side has the file, a selector of --fail-on or a Tailnet is not known.
Result<Unit> check_access(const Options& options, const AccessSide& base, const AccessSide& head);

// Adds to the comparison who gains and loses what.
void compare_access(const AccessSide& base, const AccessSide& head, diff::Comparison& comparison);

// Returns an error for everything that `--fail-on gains:WHO` finds.
std::vector<Diagnostic> failed_gains(const Options& options, const AccessSide& base,
                                     const AccessSide& head, const diff::Comparison& comparison);

}  // namespace renderer::cli
