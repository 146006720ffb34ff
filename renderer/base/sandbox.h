// A program of the user that gets input from strangers: no network, no environment, nothing
// written, limited time, memory and output.
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

// `arguments[0]` is an absolute path; standard input is empty, the environment is HOME=`directory`
// alone. The system calls that make sockets fail with EACCES, files cannot grow.
SandboxRun run_in_sandbox(const std::vector<std::string>& arguments, const std::string& directory,
                          const SandboxLimits& limits);

}  // namespace renderer
