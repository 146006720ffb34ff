// The command line: flags and environment in, exit code out (0 ok, 1 diagnostics, stale or a write
// that failed, 2 usage). The only place that reads the environment. What a verb does is in
// commands.h.
#pragma once

namespace renderer {

int run_cli(int argc, const char* const* argv);

}  // namespace renderer
