// What the kernel refuses to a program that is about to be started, and to whatever it becomes:
// the network, other processes, changes of files and of the machine, by a filter of its system
// calls; files and ports that are not its business, by Landlock; and what root alone may do, also
// to root, by taking all capabilities away. A kernel without Landlock (before 5.13) leaves it
// the files that its user may read. Source: seccomp(2), landlock(7),
// capabilities(7), include/uapi/linux.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

namespace renderer {

// The kernel has Landlock.
bool keeps_files_apart();

// And it is one that knows ports (Linux 6.7).
bool keeps_ports_apart();

// Of a program, besides reading itself, and the programs and libraries of the system.
struct Rights {
    std::string directory;                 // may be read, with what is below
    std::vector<std::string> others = {};  // likewise: files and directories
    // With one of these the kernel must have Landlock.
    bool changes_files =
        false;               // of the directory: made, written, renamed and removed, nothing else
    std::uint16_t port = 0;  // TCP connections to it, by IPv4; to others only if the kernel does
                             // not know ports. 0: no network
};

class Confinement {
public:
    Confinement(const std::string& program, const Rights& rights);
    Confinement(const Confinement&) = delete;
    Confinement& operator=(const Confinement&) = delete;
    ~Confinement();

    // Confines the process that calls it, for good. For use between fork and exec. False: it is not
    // confined, and nothing must be executed.
    [[nodiscard]] bool apply();

private:
    bool needs_landlock_;
    int ruleset_ = -1;  // -1: the kernel has no Landlock
    std::vector<sock_filter> filter_;
};

}  // namespace renderer
