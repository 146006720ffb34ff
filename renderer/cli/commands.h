// The verbs of the command line. Each checks everything before it writes the first byte, so an
// error in the input never leaves a partial output behind.
#pragma once

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"

namespace renderer::cli {

// Each verb returns its exit code, or an error that ends the command with "nothing written". It
// adds its runs to `runs`, which is empty before.
Result<int> run_render(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_check(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_post_render(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_lint(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_diff(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_install(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_krm(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_images(const Options& options, ClusterRuns& runs, Console& console);
// Prints the table of devices and nothing else.
Result<int> run_devices(const Options& options, ClusterRuns& runs, Console& console);
// Prints who may reach what, by a policy file; fails if the policy fails its own tests.
Result<int> run_access(const Options& options, ClusterRuns& runs, Console& console);

// Prints what the policy of the tailnet must say, compares a policy file with it, or adds to one
// what is missing.
Result<int> run_tailnet_policy(const Options& options, ClusterRuns& runs, Console& console);
// Draws who reaches what.
Result<int> run_graph(const Options& options, ClusterRuns& runs, Console& console);
// Writes the edits of an additive render to the sources.
Result<int> run_fix(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_commit(const Options& options, ClusterRuns& runs, Console& console);
// Lists the units that Flux and Argo CD apply from a tree.
Result<int> run_roots(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_gitops_snippets(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_explain(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_cmp(const Options& options, ClusterRuns& runs, Console& console);
// Prints what a repository needs for the first render, or adds it.
Result<int> run_init(const Options& options, ClusterRuns& runs, Console& console);
// Prints a JSON Schema of a file that users write.
Result<int> run_schema(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_completion(const Options& options, ClusterRuns& runs, Console& console);

}  // namespace renderer::cli
