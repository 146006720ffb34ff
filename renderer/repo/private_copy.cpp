#include "renderer/repo/private_copy.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "renderer/base/descriptor.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

namespace fs = std::filesystem;

// Runs in the child process, and removes the directory when the run ends. All signals are blocked,
// so that Ctrl-C and other signals stop the run and not this process. It allocates memory, which
// glibc allows after the fork of a process with threads.
[[noreturn]] void remove_at_end(int life, const std::string& directory) {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::setsid();
    ::dup2(life, STDIN_FILENO);
    (void)::close_range(STDIN_FILENO + 1, ~0U, 0);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
    }
    std::error_code error;
    fs::remove_all(directory, error);
    ::_exit(0);
}

bool stays_below(const fs::path& relative) {
    return relative.is_relative() &&
           std::ranges::none_of(relative, [](const fs::path& part) { return part == ".."; });
}

// Returns the path of a new directory, or "" if it cannot be made. `name` ends in XXXXXX.
std::string make_directory(const fs::path& parent, const char* name) {
    std::string path = (parent / name).string();
    return ::mkdtemp(path.data()) == nullptr ? std::string() : path;
}

}  // namespace

PrivateFolder::PrivateFolder() {
    std::error_code error;
    const fs::path parent = fs::canonical(fs::temp_directory_path(error), error);
    if (error || ::pipe2(life_.data(), O_CLOEXEC) != 0) {
        return;
    }
    path_ = make_directory(parent, "tailrender-XXXXXX");
    remover_ = path_.empty() ? -1 : ::fork();
    if (remover_ == 0) {
        ::close(life_[1]);  // kernels before 5.9 have no close_range
        remove_at_end(life_[0], path_);
    }
    if (remover_ < 0) {
        fs::remove(path_, error);
        path_.clear();
    }
}

PrivateFolder::~PrivateFolder() {
    for (const int end : life_) {
        if (end >= 0) {
            ::close(end);
        }
    }
    while (remover_ > 0 && ::waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

PrivateCopy::PrivateCopy(const PrivateFolder& folder)
    : path_(folder.path().empty() ? "" : make_directory(folder.path(), "XXXXXX")) {}

PrivateCopy::~PrivateCopy() {
    std::error_code error;
    if (!path_.empty()) {
        fs::remove_all(path_, error);
    }
}

bool PrivateCopy::has(const std::string& relative) const {
    std::error_code error;
    return fs::exists(fs::path(path_) / relative, error);
}

bool PrivateCopy::write(const std::string& relative, const std::string& content) const {
    if (!make_place(relative)) {
        return false;
    }
    Descriptor file(path_ + "/" + relative, O_WRONLY | O_CREAT | O_EXCL);
    return file.get() >= 0 && write_all(file.get(), content) && file.close();
}

bool PrivateCopy::link(const std::string& relative, const std::string& target) const {
    std::error_code error;
    if (make_place(relative) && stays_below(target)) {
        fs::create_symlink(path_ + "/" + target, path_ + "/" + relative, error);
        return !error;
    }
    return false;
}

bool PrivateCopy::make_place(const std::string& relative) const {
    if (path_.empty() || !stays_below(relative)) {
        return false;
    }
    std::error_code error;
    fs::create_directories((fs::path(path_) / relative).parent_path(), error);
    return !error;
}

}  // namespace renderer::repo
