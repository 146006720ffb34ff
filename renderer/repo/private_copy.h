// A directory for the files that a program of the user is given. No one else can read it, and it is
// gone when the run ends, however it ends: a process of its own waits for that and removes it.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

namespace renderer {

class PrivateCopy {
public:
    // In TMPDIR, else /tmp.
    PrivateCopy();
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    ~PrivateCopy();  // returns when it is removed

    // Absolute, without symbolic links; "" when it could not be made. Nothing is beside it.
    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] bool has(const std::string& relative) const;

    // A file that is not there yet. Its path is relative and without `..`; false otherwise, and
    // when it cannot be written.
    [[nodiscard]] bool write(const std::string& relative, const std::string& content) const;

    // A symbolic link to a file of the copy, which need not be there yet. Paths as above.
    [[nodiscard]] bool link(const std::string& relative, const std::string& target) const;

private:
    [[nodiscard]] bool make_place(const std::string& relative) const;

    std::string path_;
    std::array<int, 2> life_ = {-1, -1};  // a pipe: it ends with this process
    pid_t remover_ = -1;
};

}  // namespace renderer
