// Runs the command line: parses flags, reads the environment and returns an exit code
// (exit_codes.h). Only this folder reads the environment. commands.h declares the verbs.
#pragma once

namespace renderer::cli {

int run_cli(int argc, const char* const* argv);

}  // namespace renderer::cli
