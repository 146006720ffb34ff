#include "renderer/emit/tree/output_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

constexpr std::string_view kTemporaryFile = ".tailrender-temporary";
constexpr int kDirectory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Descriptor open_at(int dir, std::string_view name, int flags) {
    return Descriptor(::openat(dir, std::string(name).c_str(), flags, 0666));
}

bool is_link(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

bool exists(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0;
}

bool is_file(const Descriptor& dir, std::string_view name) {
    struct stat info {};
    return dir.get() >= 0 &&
           ::fstatat(dir.get(), std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

}  // namespace

// Links in a relative path, or below a directory with a `.git`, may be committed.
Result<Unit> check_output_links(const std::string& dir) {
    std::string path = dir.starts_with('/') ? "/" : "";
    bool may_be_committed = !dir.starts_with('/');
    std::vector<std::string_view> names = split(dir, '/');
    std::erase_if(names, [](std::string_view name) { return name.empty() || name == "."; });
    for (std::size_t i = 0; i < names.size(); ++i) {
        may_be_committed = may_be_committed || exists(repo::join_path(path, ".git"));
        path = path.empty() ? std::string(names[i]) : repo::join_path(path, names[i]);
        if ((may_be_committed || i + 1 == names.size()) && is_link(path)) {
            return Error{{.rule = "output-link",
                          .where = path,
                          .message = "a symbolic link in the path of the output directory",
                          .expected = "directories: a link would move the output elsewhere",
                          .hint = "write to the directory that it points to, or remove the link"}};
        }
    }
    return Unit{};
}

Result<OutputDirectory> OutputDirectory::open(const std::string& dir) {
    TRY(check_output_links(dir));
    Descriptor top(dir, kDirectory);
    if (top.get() < 0) {
        return Error{{.rule = "write-failed",
                      .where = dir,
                      .message = fmt::format("cannot open the directory: {}",
                                             std::generic_category().message(errno))}};
    }
    return OutputDirectory(dir, std::move(top));
}

Error OutputDirectory::failed(std::string_view what, std::string_view path) const {
    const int code = errno;
    return {{.rule = "write-failed",
             .where = repo::join_path(dir_, path),
             .message = fmt::format("{}: {}", what, std::generic_category().message(code))}};
}

Descriptor OutputDirectory::parent_of(std::string_view path, Missing missing) const {
    Descriptor dir = open_at(top_.get(), ".", kDirectory);
    std::string_view rest = path.substr(0, path.find_last_of('/') + 1);  // npos + 1 is 0
    while (dir.get() >= 0 && !rest.empty()) {
        const std::string name(take(rest, '/'));
        Descriptor below = open_at(dir.get(), name, kDirectory);
        if (below.get() < 0 && errno == ENOENT && missing == Missing::IsMade) {
            if (::mkdirat(dir.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
                return Descriptor(-1);
            }
            below = open_at(dir.get(), name, kDirectory);
        }
        const int code = errno;
        dir = std::move(below);
        errno = code;  // restores what closing the directory above has changed
    }
    return dir;
}

Result<Unit> OutputDirectory::replace(std::string_view path, std::string_view content,
                                      Durable durable) {
    if (const std::string parent = repo::parent_path(path); parent != last_parent_path_) {
        last_parent_ = parent_of(path, Missing::IsMade);
        last_parent_path_ = last_parent_.get() >= 0 ? parent : "";
        if (last_parent_path_.empty()) {
            return failed("cannot create the directory", parent);
        }
    }
    const int dir = last_parent_.get();
    const std::string temporary(kTemporaryFile);
    constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file = open_at(dir, temporary, kNewFile);
    if (file.get() < 0 && errno == EEXIST) {
        if (::unlinkat(dir, temporary.c_str(), 0) != 0) {
            return failed("cannot remove the file",
                          repo::join_path(repo::parent_path(path), temporary));
        }
        file = open_at(dir, temporary, kNewFile);
    }
    const bool written =
        file.get() >= 0 && write_all(file.get(), content) &&
        (durable == Durable::No || ::fsync(file.get()) == 0) && file.close() &&
        ::renameat(dir, temporary.c_str(), dir, std::string(repo::base_name(path)).c_str()) == 0;
    if (!written) {
        Error error = failed("cannot write the file", path);
        ::unlinkat(dir, temporary.c_str(), 0);
        return error;
    }
    return Unit{};
}

std::vector<std::string> OutputDirectory::temporary_files(
    const std::vector<std::string>& files) const {
    std::set<std::string, std::less<>> dirs = {"."};
    for (const std::string& file : files) {
        dirs.insert(repo::parent_path(file));
    }
    std::vector<std::string> found;
    for (const std::string& dir : dirs) {
        std::string path =
            dir == "." ? std::string(kTemporaryFile) : repo::join_path(dir, kTemporaryFile);
        const Descriptor parent = parent_of(path, Missing::Fails);
        if (is_file(parent, kTemporaryFile)) {
            found.push_back(std::move(path));
        }
    }
    return found;
}

Result<bool> OutputDirectory::remove(std::string_view path) const {
    const Descriptor parent = parent_of(path, Missing::Fails);
    const std::string name(repo::base_name(path));
    if (!is_file(parent, name)) {
        return false;
    }
    if (::unlinkat(parent.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
        return failed("cannot remove the file", path);
    }
    return true;
}

void OutputDirectory::remove_empty_parents(const std::string& path) {
    last_parent_path_.clear();  // it may be one of them
    for (std::string dir = repo::parent_path(path); dir != "."; dir = repo::parent_path(dir)) {
        const Descriptor parent = parent_of(dir, Missing::Fails);
        if (parent.get() >= 0 &&
            ::unlinkat(parent.get(), std::string(repo::base_name(dir)).c_str(), AT_REMOVEDIR) !=
                0 &&
            errno != ENOENT) {
            return;  // not empty: it contains other files
        }
    }
}

}  // namespace renderer::emit
