// Runs the `tests` of a policy, which say what its author expects.
#pragma once

#include "renderer/access/evaluate.h"
#include "renderer/core/diagnostics.h"

namespace renderer::access {

// Reports each expectation that the rules do not meet ("policy-test"), and with a warning each one
// that depends on what the policy does not say ("policy-test-unknown").
void run_tests(const Policy& policy, const Evaluator& evaluator, Diagnostics& diagnostics);

}  // namespace renderer::access
