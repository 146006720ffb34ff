// The verbs that render: what each reads, where its output goes, what it refuses to do. Output is
// complete in memory before its first byte is written, so an error never leaves a part of it
// behind.
#pragma once

#include "renderer/cli/console.h"
#include "renderer/cli/options.h"
#include "renderer/pipeline.h"

namespace renderer {

// Each returns the exit code.
int run_render(const Options& options, Console& console);
int run_check(const Options& options, Console& console);
int run_post_render(const Options& options, Console& console);

// Prints all diagnostics and the last line `N errors, M warnings; nothing written`; returns 1.
int fail(const Run& run, Console& console);

}  // namespace renderer
