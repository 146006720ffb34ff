#include "renderer/cli/rewrite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "renderer/base/descriptor.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {

namespace {

Error cannot_write(const std::string& path, std::string_view reason) {
    return Error{{.rule = "write-failed",
                  .where = path,
                  .message = fmt::format("cannot write this file: {}", reason)}};
}

Error cannot_write(const std::string& path, int reason) {
    return cannot_write(path, std::strerror(reason));
}

}  // namespace

Result<Rewrite> Rewrite::prepare(const std::string& path, std::string_view text) {
    Rewrite one;
    one.target_ = repo::canonical_path(path);
    one.temporary_ = fmt::format("{}.{}.tailrender", one.target_, ::getpid());
    Descriptor file(one.temporary_, O_WRONLY | O_CREAT | O_EXCL);
    if (file.get() < 0) {
        one.temporary_.clear();
        return cannot_write(path, errno);
    }
    struct stat old = {};
    const bool is_like = ::stat(one.target_.c_str(), &old) == 0 &&
                         (::geteuid() != 0 || ::fchown(file.get(), old.st_uid, old.st_gid) == 0) &&
                         ::fchmod(file.get(), old.st_mode & 07777U) == 0;
    if (!is_like || !write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close()) {
        return cannot_write(path, errno);
    }
    return one;
}

Rewrite::~Rewrite() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

Result<Unit> Rewrite::finish() {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
        return cannot_write(target_, errno);
    }
    temporary_.clear();
    return Unit{};
}

Result<Unit> write_new_file(const std::string& top, const std::string& path, std::string_view text,
                            bool is_program) {
    const std::string whole = repo::join_path(top, path);
    const std::string dir = repo::parent_path(whole);
    if (!repo::is_within(repo::canonical_path(dir), repo::canonical_path(top))) {
        return cannot_write(whole, "a symbolic link leaves the repository");
    }
    std::error_code failed;
    std::filesystem::create_directories(dir, failed);
    if (failed) {
        return cannot_write(whole, failed.message());
    }
    Descriptor file(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file.get() < 0 || !write_all(file.get(), text) ||
        (is_program && ::fchmod(file.get(), 0755) != 0) || !file.close()) {
        return cannot_write(whole, errno);
    }
    return Unit{};
}

}  // namespace renderer::cli
