// The verbs: what each reads, where its output goes, what it refuses to do. Everything
// is decided before the first byte is written, so an error of the input never leaves a part of the
// output behind.
#pragma once

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/core/result.h"

namespace renderer {

// Each returns the exit code, or an error that ends it with "nothing written". Its runs, which are
// none yet, are of one command.
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
Result<int> run_seal(const Options& options, ClusterRuns& runs, Console& console);
// Writes into the sources what an additive render finds missing in them.
Result<int> run_fix(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_commit(const Options& options, ClusterRuns& runs, Console& console);
// Prints what Flux and Argo CD apply of a tree.
Result<int> run_roots(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_gitops_snippets(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_explain(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_cmp(const Options& options, ClusterRuns& runs, Console& console);
Result<int> run_completion(const Options& options, ClusterRuns& runs, Console& console);

}  // namespace renderer
