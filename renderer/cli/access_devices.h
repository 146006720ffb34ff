// What the devices of a cluster offer, and what they want to reach, for the rules of a policy.
#pragma once

#include <string>

#include "renderer/access/report.h"
#include "renderer/diff/compare.h"
#include "renderer/pipeline.h"
#include "renderer/policy/check.h"

namespace renderer::cli {

// Reads the devices in a tailnet, "" for the controller's own, sorted by name. `tree` is what the
// run makes.
access::Cluster read_cluster(const Run& run, diff::ClusterTree tree,
                             const policy::Sections& sections, const std::string& tailnet);

}  // namespace renderer::cli
