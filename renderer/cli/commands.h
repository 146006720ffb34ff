// The verbs: what each reads, where its output goes, what it refuses to do. Everything
// is decided before the first byte is written, so an error of the input never leaves a part of the
// output behind.
#pragma once

#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/pipeline.h"

namespace renderer {

// Each returns the exit code.
int run_render(const Options& options, Console& console);
int run_check(const Options& options, Console& console);
int run_post_render(const Options& options, Console& console);
int run_lint(const Options& options, Console& console);
int run_diff(const Options& options, Console& console);
int run_install(const Options& options, Console& console);
int run_krm(const Options& options, Console& console);
int run_images(const Options& options, Console& console);
int run_seal(const Options& options, Console& console);
int run_commit(const Options& options, Console& console);
int run_gitops_snippets(const Options& options, Console& console);
int run_explain(const Options& options, Console& console);
int run_cmp(const Options& options, Console& console);
int run_completion(const Options& options, Console& console);

}  // namespace renderer
