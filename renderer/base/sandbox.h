// Runs a program of the user on untrusted input. The program cannot start other processes and does
// not inherit the environment; its time, memory and output are limited. It has no network and
// writes nothing unless its rights allow that. confinement.h describes how.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "renderer/base/confinement.h"

namespace renderer::inline base {

struct SandboxLimits {
    std::chrono::seconds time{60};
    std::size_t output_bytes = std::size_t{256} << 20U;
    std::size_t file_bytes = 0;  // the limit for each file that the program writes
};

struct SandboxRun {
    int exit_code = 0;    // 128 + N if signal N ended it
    std::string output;   // standard output
    std::string errors;   // the first 64 KiB of standard error
    std::string refusal;  // why it was stopped or could not start; "" otherwise
};

struct SandboxProgram {
    std::vector<std::string> arguments;         // the first one is an absolute path
    std::vector<std::string> environment = {};  // "NAME=value"; a HOME that does not exist is added
    // It starts in the directory of its rights. Where the kernel has Landlock, it can read no other
    // files of the user.
    Rights rights = {};
};

// Standard input is empty. The program ends at the latest when the calling thread ends.
SandboxRun run_in_sandbox(SandboxProgram program, const SandboxLimits& limits);

}  // namespace renderer::inline base
