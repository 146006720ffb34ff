// A program of the user that gets input from strangers: no network, no other process, no
// environment, nothing written, limited time, memory and output. confinement.h says how.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace renderer {

struct SandboxLimits {
    std::chrono::seconds time{60};
    std::size_t output_bytes = std::size_t{256} << 20U;
};

struct SandboxRun {
    int exit_code = 0;    // 128 + N when signal N ended it
    std::string output;   // standard output
    std::string errors;   // standard error, its first 64 KiB
    std::string refusal;  // why it was ended or could not begin; "" otherwise
};

struct SandboxProgram {
    std::vector<std::string> arguments;         // the first one is an absolute path
    std::vector<std::string> environment = {};  // "NAME=value"; HOME, which nothing is in, is added
    std::string directory;                      // where it begins, and all of the user's that it
                                                // may read where the kernel has Landlock
};

// Standard input is empty. The program ends at the latest with the thread that calls this.
SandboxRun run_in_sandbox(SandboxProgram program, const SandboxLimits& limits);

}  // namespace renderer
