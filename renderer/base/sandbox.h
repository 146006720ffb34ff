// A program of the user that gets input from strangers: no other process, no environment, limited
// time, memory and output; no network and nothing written unless it is given a right to that.
// confinement.h says how.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "renderer/base/confinement.h"

namespace renderer {

struct SandboxLimits {
    std::chrono::seconds time{60};
    std::size_t output_bytes = std::size_t{256} << 20U;
    std::size_t file_bytes = 0;  // of each file that it writes
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
    Rights rights = {};                         // it begins in their directory, and reads no more
                                                // of the user's where the kernel has Landlock
};

// Standard input is empty. The program ends at the latest with the thread that calls this.
SandboxRun run_in_sandbox(SandboxProgram program, const SandboxLimits& limits);

}  // namespace renderer
