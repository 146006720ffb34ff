// The command line: flags and environment in, exit code out (0 ok, 1 diagnostics, stale or a write
// that failed, 2 usage). Only this folder reads the environment. What a verb does is in commands.h.
#pragma once

namespace renderer {

int run_cli(int argc, const char* const* argv);

}  // namespace renderer
