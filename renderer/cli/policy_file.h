// The policy file of a tailnet, which a flag names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/policy/check.h"
#include "renderer/repo/source_tree.h"

namespace renderer::cli {

struct PolicyFile {
    SourceId source = 0;  // of the run's source map
    std::unique_ptr<policy::Node> root;
    policy::Sections sections;  // of `root`
};

// Reads a file of the tree. Returns nothing if it is not a policy; why is in the diagnostics of the
// run.
std::optional<PolicyFile> read_policy_file(const repo::SourceTree& tree, const std::string& path,
                                           Run& run);
// Reads a file that the user named.
std::optional<PolicyFile> read_policy_file(const std::string& path, Run& run);

// Returns an error if `tailnet` is not "" and no device of the runs joins it.
Result<Unit> check_tailnet(const std::string& tailnet, const std::vector<ClusterRuns*>& runs);

}  // namespace renderer::cli
