// `--fail-on`: what a pipeline must not let pass. A gate that fails is an error among the
// diagnostics; verbs that write ask before they do.
#pragma once

#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/cli/removals.h"
#include "renderer/diff/compare.h"

namespace renderer {

// What of the comparison `--fail-on public,removed,replaced` names.
std::vector<Diagnostic> failed_gates(const Options& options, const Comparison& comparison);

// The same of trees and what earlier runs wrote in their place; nothing is read where none of these
// words is given.
Result<std::vector<Diagnostic>> failed_gates(const Options& options, ClusterRuns& runs,
                                             const std::vector<RenderedTree>& trees,
                                             const EarlierTrees& earlier);

// Also `--fail-on warning`, of so many warnings: whether nothing is to be written. Says why, with
// all diagnostics of the runs.
bool stops_at_gates(const Options& options, ClusterRuns& runs, Console& console,
                    std::vector<Diagnostic> failed = {});

// The exit code of a run that writes nothing, whose diagnostics are printed.
int code_after_gates(const Options& options, std::size_t warnings, int code, Console& console,
                     std::vector<Diagnostic> failed = {});

}  // namespace renderer
