// Implements `--fail-on`, which makes a pipeline fail on something that is not a mistake. A gate
// that fails is an error among the diagnostics; verbs that write check the gates before they write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/cli/removals.h"
#include "renderer/diff/compare.h"

namespace renderer::cli {

// Returns the error of a gate. `word` is that of `--fail-on`.
Diagnostic gate_error(std::string_view word, std::string object, std::string message);

// Returns an error for everything that `--fail-on public,removed,replaced` finds in the comparison.
std::vector<Diagnostic> failed_gates(const Options& options, const diff::Comparison& comparison);

// Compares a tree with the one that an earlier run wrote in its directory. Reads nothing unless one
// of those three gates is set. `run`: what renders it; null for the tree of a deleted cluster.
Result<std::vector<Diagnostic>> failed_gates(const Options& options, const Run* run,
                                             const emit::RenderedTree& tree,
                                             const EarlierTrees& earlier);

// Returns true if a gate fails, `--fail-on warning` included, so that nothing may be written. Then
// it prints why, with all diagnostics of the runs.
bool stops_at_gates(const Options& options, ClusterRuns& runs, Console& console,
                    std::vector<Diagnostic> failed = {});

// Returns the exit code of a verb that writes nothing and has printed its diagnostics already.
int code_after_gates(const Options& options, std::size_t warnings, int code, Console& console,
                     std::vector<Diagnostic> failed = {});

}  // namespace renderer::cli
