// Confines a program that is about to be started, and every program that it executes. A seccomp
// filter of system calls blocks the network, other processes, and changes of files and of the
// machine. Landlock blocks files and ports that the program has no right to. All capabilities are
// dropped, even those of root. On a kernel without Landlock (before 5.13) the program can read all
// files that its user may read. Source: seccomp(2), landlock(7), capabilities(7),
// include/uapi/linux.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace renderer::inline base {

// Returns true if the kernel has Landlock.
bool keeps_files_apart();

// Returns true if the kernel's Landlock can also limit ports (Linux 6.7).
bool keeps_ports_apart();

// What a program may do. It may always read itself, and the programs and libraries of the system.
struct Rights {
    std::string directory;                 // readable, with everything below it
    std::vector<std::string> others = {};  // other readable files and directories
    // The rights below need a kernel with Landlock.

    // True if the program may create, write, rename and remove files and directories in
    // `directory`. It may not change them in any other way.
    bool changes_files = false;
    // The port that the program may open TCP connections to, over IPv4. If the kernel cannot limit
    // ports, it may connect to all others as well. 0: no network.
    std::uint16_t port = 0;
};

class Confinement {
public:
    Confinement(const std::string& program, const Rights& rights);
    Confinement(const Confinement&) = delete;
    Confinement& operator=(const Confinement&) = delete;
    ~Confinement();

    // Confines the calling process for good. For use between fork and exec. If it returns false,
    // the process is not confined and must not execute anything.
    [[nodiscard]] bool apply();

private:
    bool needs_landlock_;
    int ruleset_ = -1;  // -1: the kernel has no Landlock
    std::vector<sock_filter> filter_;
};

}  // namespace renderer::inline base
