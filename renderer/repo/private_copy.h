// Makes directories with copies of files for a program of the user. No other user can read them. A
// child process removes them when the run ends, even if the run is killed.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

namespace renderer::repo {

// The parent directory of several copies. One child process removes all of them, because forking a
// process takes longer than making a copy.
class PrivateFolder {
public:
    // Makes the directory in TMPDIR, or in /tmp if that is not set.
    PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    ~PrivateFolder();  // returns after the directory was removed

    // Returns an absolute path without symbolic links, or "" if the directory could not be made.
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    std::array<int, 2> life_ = {-1, -1};  // a pipe, closed at the end of this process
    pid_t remover_ = -1;
};

class PrivateCopy {
public:
    // `folder` must outlive it.
    explicit PrivateCopy(const PrivateFolder& folder);
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    ~PrivateCopy();  // removes the directory

    // Returns an absolute path without symbolic links, or "" if the directory could not be made.
    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] bool has(const std::string& relative) const;

    // Writes a new file. Its path must be relative and without `..`. Returns false if it is not, if
    // the file exists, or if it cannot be written.
    [[nodiscard]] bool write(const std::string& relative, const std::string& content) const;

    // Makes a symbolic link to a file of the copy, which need not exist yet. Both paths must be
    // relative and without `..`.
    [[nodiscard]] bool link(const std::string& relative, const std::string& target) const;

private:
    [[nodiscard]] bool make_place(const std::string& relative) const;

    std::string path_;
};

}  // namespace renderer::repo
