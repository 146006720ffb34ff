// Directories for the files that a program of the user is given. No other user can read them. They
// are removed when the run ends, even if it is killed: a child process waits for that.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

namespace renderer {

// The parent directory of several copies, with one child process for all of them: to fork it takes
// longer than to make a copy.
class PrivateFolder {
public:
    // It is in TMPDIR, else in /tmp.
    PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    ~PrivateFolder();  // returns when it is removed

    // Absolute, without symbolic links; "" when it could not be made.
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    std::array<int, 2> life_ = {-1, -1};  // a pipe: it ends with this process
    pid_t remover_ = -1;
};

class PrivateCopy {
public:
    // `folder` must outlive it.
    explicit PrivateCopy(const PrivateFolder& folder);
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    ~PrivateCopy();  // removes it

    // Absolute, without symbolic links; "" when it could not be made.
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
};

}  // namespace renderer
