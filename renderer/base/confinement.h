// What the kernel refuses to a program that is about to be started, and to whatever it becomes:
// sockets, other processes, and every change of a file, by a filter of its system calls; reading
// files that are not its business, by Landlock. A kernel without Landlock (before 5.13) leaves it
// the files that its user may read. Source: seccomp(2), landlock(7), include/uapi/linux.
#pragma once

#include <linux/filter.h>

#include <string>
#include <vector>

namespace renderer {

// The kernel has Landlock.
bool keeps_files_apart();

class Confinement {
public:
    // Readable are the file `program`, what is below `directory`, and the programs and libraries of
    // the system.
    Confinement(const std::string& program, const std::string& directory);
    Confinement(const Confinement&) = delete;
    Confinement& operator=(const Confinement&) = delete;
    ~Confinement();

    // Confines the process that calls it, for good. For use between fork and exec. False: it is not
    // confined, and nothing must be executed.
    [[nodiscard]] bool apply();

private:
    int ruleset_ = -1;  // -1: the kernel has no Landlock
    std::vector<sock_filter> filter_;
};

}  // namespace renderer
