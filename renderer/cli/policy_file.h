// The policy file of a tailnet, which a flag names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "renderer/cli/cluster_runs.h"
#include "renderer/policy/check.h"

namespace renderer::cli {

struct PolicyFile {
    SourceId source = 0;  // of the run's source map
    std::unique_ptr<policy::Node> root;
    policy::Sections sections;  // of `root`
};

// Reads the file. Returns nothing if it is not a policy; why is in the diagnostics of the run.
std::optional<PolicyFile> read_policy_file(const std::string& path, Run& run);

// Returns an error if `tailnet` is not "" and no device of the runs joins it.
Result<Unit> check_tailnet(const std::string& tailnet, ClusterRuns& runs);

}  // namespace renderer::cli
