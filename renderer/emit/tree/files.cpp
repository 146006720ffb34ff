#include "renderer/emit/tree/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace renderer::emit {
namespace {

Error system_error(std::string_view what, const std::string& path, int code) {
    return Error{{.rule = "write-failed",
                  .where = path,
                  .message = fmt::format("{}: {}", what, std::generic_category().message(code))}};
}

// Returns 0, or the errno of the step that failed.
int write_new(const std::string& path, std::string_view content, Durable durable) {
    Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    const bool written = file.get() >= 0 && write_all(file.get(), content) &&
                         (durable == Durable::No || ::fsync(file.get()) == 0) && file.close();
    return written ? 0 : errno;
}

}  // namespace

FileKind file_kind(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) {
        return FileKind::Missing;
    }
    if (S_ISREG(info.st_mode)) {
        return FileKind::File;
    }
    return S_ISDIR(info.st_mode) ? FileKind::Directory : FileKind::Other;
}

Result<std::optional<std::string>> read_file(const std::string& path) {
    const Descriptor file(path, O_RDONLY | O_NOFOLLOW);
    if (file.get() < 0) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return std::optional<std::string>();
        }
        return system_error("cannot read the file", path, errno);
    }
    std::string content;
    if (!read_all(file.get(), content)) {
        return system_error("cannot read the file", path, errno);
    }
    return std::optional(std::move(content));
}

Result<std::vector<std::string>> directories_in(const std::string& path) {
    namespace fs = std::filesystem;
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator entry(path, code), end; !code && entry != end;
         entry.increment(code)) {
        if (file_kind(entry->path().string()) == FileKind::Directory) {
            names.push_back(entry->path().filename().string());
        }
    }
    if (code && code != std::errc::no_such_file_or_directory &&
        code != std::errc::not_a_directory) {
        return system_error("cannot read the directory", path, code.value());
    }
    std::ranges::sort(names);
    return names;
}

Result<Unit> replace_file(const std::string& path, const std::string& temporary,
                          std::string_view content, Durable durable) {
    TRY(remove_file(temporary));
    int failure = write_new(temporary, content, durable);
    if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) {
        failure = errno;
    }
    if (failure != 0) {
        ::unlink(temporary.c_str());
        return system_error("cannot write the file", path, failure);
    }
    return Unit{};
}

Result<Unit> create_file(const std::string& path, std::string_view content, Durable durable) {
    const int failure = write_new(path, content, durable);
    return failure == 0 ? Result<Unit>(Unit{})
                        : system_error("cannot write the file", path, failure);
}

Result<Unit> make_directories(const std::string& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) {
        return system_error("cannot create the directory", path, code.value());
    }
    return Unit{};
}

Result<Unit> remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return system_error("cannot remove the file", path, errno);
    }
    return Unit{};
}

Result<DirectoryLock> DirectoryLock::take(const std::string& dir) {
    return lock(dir, LOCK_EX | LOCK_NB);
}

Result<DirectoryLock> DirectoryLock::wait_for(const std::string& dir) {
    return lock(dir, LOCK_EX);
}

Result<DirectoryLock> DirectoryLock::lock(const std::string& dir, int operation) {
    Descriptor held(dir, O_RDONLY | O_DIRECTORY);
    if (held.get() < 0) {
        return system_error("cannot open the directory", dir, errno);
    }
    if (::flock(held.get(), operation) != 0) {
        return Error{{.rule = "output-busy",
                      .where = dir,
                      .message = "another process is writing to this directory",
                      .hint = "wait for it to finish, then run again"}};
    }
    return DirectoryLock(std::move(held));
}

}  // namespace renderer::emit
