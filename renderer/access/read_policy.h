// Reads a tailnet policy (HuJSON) into rules. What it does not understand is an error or, for a
// whole section, a warning: never a rule that is left out. `ssh` and `sshTests` are not read.
#pragma once

#include <optional>

#include "renderer/access/model.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/policy/hujson.h"

namespace renderer::access {

// The root is one whose sections policy::find_sections has found. Returns nothing after an error
// ("policy-shape", "policy-selector", "policy-reference", "policy-ports", "policy-field").
std::optional<Policy> read_policy(const policy::Node& root, const SourceMap& sources,
                                  SourceId source, Diagnostics& diagnostics);

}  // namespace renderer::access
