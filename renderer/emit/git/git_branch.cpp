// How a branch is moved. In Git's own protocol, whoever creates `refs/heads/B.lock` may change B. A
// process that is killed in between would leave that file, and every later run would take it for a
// running program. So the lock is made as a hard link to a file of ours:
//   1. The new value is written to `tailrender-<hash of B>` in the repository's directory.
//   2. link(2) makes it `refs/heads/B.lock`. That fails if another program holds the lock.
//   3. B is read and compared with the expected value.
//   4. rename(2) turns the lock into B; then the file of step 1 is removed.
// All this happens under flock(2), which ends with its process. So a run that finds the file of
// step 1 can conclude that its owner is dead. A B.lock that is the same file (device, inode)
// belongs to the dead process and is removed. Any other B.lock belongs to a running git program and
// is respected.
#include "renderer/emit/git/git_branch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "renderer/base/descriptor.h"
#include "renderer/base/sha256.h"
#include "renderer/emit/tree/files.h"

namespace renderer::emit {

namespace {

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::size_t kNameDigits = 16;

std::string branch_reference(const std::string& branch) {
    return fmt::format("{}{}", kHeads, branch);
}

Error branch_error(std::string rule, const std::string& branch, std::string message,
                   std::string hint) {
    return {{.rule = std::move(rule),
             .where = "--branch",
             .message = std::move(message),
             .found = fmt::format("\"{}\"", branch),
             .hint = std::move(hint)}};
}

// libgit2 does not report a branch as checked out if HEAD points to it but it has no commit yet.
bool is_head(git_repository* repository, const std::string& reference) {
    git_reference* got = nullptr;
    if (git_repository_is_bare(repository) == 1 ||
        git_reference_lookup(&got, repository, "HEAD") != 0) {
        return false;
    }
    const git::GitReference head(got);
    const char* target = git_reference_symbolic_target(got);
    return target != nullptr && target == reference;
}

Error checked_out(const std::string& branch) {
    return branch_error("branch-checked-out", branch,
                        "the branch is checked out in a work tree, which a commit would make stale",
                        "choose a branch that is not checked out, or check out another one");
}

bool is_same_file(const std::string& a, const std::string& b) {
    struct stat first {};
    struct stat second {};
    return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// `a` and `a/b` cannot both be branches, whether loose or packed.
Result<Unit> check_free(git_repository* repository, const std::string& branch) {
    const auto taken = [&](const std::string& other) {
        return branch_error("branch-name", branch,
                            fmt::format("the branch \"{}\" conflicts with it", other),
                            "choose another name");
    };
    for (auto slash = branch.find('/'); slash != std::string::npos;
         slash = branch.find('/', slash + 1)) {
        const std::string above = branch.substr(0, slash);
        git_oid ignored;
        if (git_reference_name_to_id(&ignored, repository, branch_reference(above).c_str()) == 0) {
            return taken(above);
        }
    }
    git_reference_iterator* got = nullptr;
    const std::string below = branch_reference(branch) + "/*";
    if (git_reference_iterator_glob_new(&got, repository, below.c_str()) != 0) {
        return git::git_failure("cannot list the branches", "--branch");
    }
    const std::unique_ptr<git_reference_iterator, git::GitFree<git_reference_iterator_free>> found(
        got);
    const char* name = nullptr;
    if (git_reference_next_name(&name, got) == 0) {
        return taken(name + kHeads.size());
    }
    return Unit{};
}

// Best effort, as in git: the move stays if the log cannot be written.
void log_move(git_repository* repository, const git_signature* who, const BranchMove& move) {
    if (git_reference_ensure_log(repository, branch_reference(move.branch).c_str()) != 0) {
        return;
    }
    const std::string path = fmt::format("{}logs/{}", git_repository_commondir(repository),
                                         branch_reference(move.branch));
    const int minutes = who->when.offset;
    const std::string line = fmt::format(
        "{} {} {} <{}> {} {}{:02}{:02}\t{}\n", git::hex_id(move.from.value_or(git_oid{})),
        git::hex_id(move.to), who->name, who->email, who->when.time, minutes < 0 ? '-' : '+',
        std::abs(minutes) / 60, std::abs(minutes) % 60, move.reason);
    const Descriptor file(path, O_WRONLY | O_APPEND);
    static_cast<void>(file.get() >= 0 && write_all(file.get(), line));
}

bool keeps_log(git_repository* repository) {
    git_config* got = nullptr;
    if (git_repository_config_snapshot(&got, repository) != 0) {
        return false;
    }
    const std::unique_ptr<git_config, git::GitFree<git_config_free>> config(got);
    int wanted = git_repository_is_bare(repository) == 1 ? 0 : 1;
    git_config_get_bool(&wanted, got, "core.logAllRefUpdates");
    return wanted != 0;
}

class Mover {
public:
    Mover(git_repository* repository, const BranchMove& move)
        : repository_(repository),
          move_(move),
          reference_(branch_reference(move.branch)),
          common_(git_repository_commondir(repository)),
          target_(common_ + reference_),
          lock_(target_ + ".lock"),
          own_(fmt::format("{}tailrender-{}", common_,
                           sha256_hex(reference_).substr(0, kNameDigits))) {}

    Result<Unit> run() {
        const DirectoryLock alone = TRY(DirectoryLock::wait_for(common_));
        if (is_same_file(own_, lock_)) {
            TRY(remove_file(lock_));
        }
        TRY(remove_file(own_));
        TRY(check_free(repository_, move_.branch));
        TRY(make_directories(target_.substr(0, target_.rfind('/'))));
        TRY(create_file(own_, git::hex_id(move_.to) + "\n", Durable::Yes));
        Result<Unit> moved = with_own_file();
        TRY(remove_file(own_));
        return moved;
    }

private:
    Result<Unit> with_own_file() {
        if (::link(own_.c_str(), lock_.c_str()) != 0) {
            const int code = errno;
            return branch_error(
                "branch-locked", move_.branch,
                fmt::format("cannot lock the branch: {}", std::generic_category().message(code)),
                code == EEXIST
                    ? fmt::format("another git process is running; if not, remove \"{}\"", lock_)
                    : "");
        }
        Result<Unit> moved = with_lock();
        if (!moved) {
            TRY(remove_file(lock_));
        }
        return moved;
    }

    Result<Unit> with_lock() {
        git_oid now{};
        const int code = git_reference_name_to_id(&now, repository_, reference_.c_str());
        const bool expected = move_.from ? code == 0 && git_oid_equal(&now, &*move_.from) != 0
                                         : code == GIT_ENOTFOUND;
        if (!expected) {
            return branch_error("branch-moved", move_.branch,
                                "another process moved the branch meanwhile", "run again");
        }
        if (::rename(lock_.c_str(), target_.c_str()) != 0 && !rename_over_directory()) {
            return branch_error(
                "write-failed", move_.branch,
                fmt::format("cannot move the branch: {}", std::generic_category().message(errno)),
                "");
        }
        return Unit{};
    }

    // Removes the empty directories that deleted branches `B/…` may have left.
    bool rename_over_directory() const {
        std::error_code ignored;
        std::vector<std::filesystem::path> dirs;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(target_, ignored)) {
            dirs.push_back(entry.path());
        }
        for (auto dir = dirs.rbegin(); dir != dirs.rend(); ++dir) {
            ::rmdir(dir->c_str());
        }
        return ::rmdir(target_.c_str()) == 0 && ::rename(lock_.c_str(), target_.c_str()) == 0;
    }

    git_repository* repository_;
    const BranchMove& move_;
    std::string reference_;
    std::string common_;
    std::string target_;
    std::string lock_;
    std::string own_;
};

}  // namespace

Result<std::optional<git_oid>> branch_tip(git_repository* repository, const std::string& branch) {
    int valid = 0;
    if (git_branch_name_is_valid(&valid, branch.c_str()) != 0 || valid == 0) {
        return branch_error("branch-name", branch, "invalid branch name", "");
    }
    const std::string name = branch_reference(branch);
    git_reference* got = nullptr;
    const int code = git_reference_lookup(&got, repository, name.c_str());
    const git::GitReference reference(got);
    if (code == GIT_ENOTFOUND) {
        return is_head(repository, name) ? Result<std::optional<git_oid>>(checked_out(branch))
                                         : std::optional<git_oid>();
    }
    if (code != 0) {
        return git::git_failure("cannot read the branch", "--branch");
    }
    if (git_reference_type(got) != GIT_REFERENCE_DIRECT) {
        return branch_error("branch-name", branch, "the branch is a symbolic reference",
                            "use the branch that it refers to");
    }
    if (git_branch_is_checked_out(got) != 0 || is_head(repository, name)) {
        return checked_out(branch);
    }
    return std::optional<git_oid>(*git_reference_target(got));
}

std::optional<git_oid> tracked_tip(git_repository* repository, const std::string& branch) {
    git_strarray remotes{};
    std::optional<git_oid> tip;
    if (git_remote_list(&remotes, repository) != 0) {
        return std::nullopt;
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < remotes.count; ++i) {
        const std::string name = fmt::format("refs/remotes/{}/{}", remotes.strings[i], branch);
        git_oid id{};
        if (git_reference_name_to_id(&id, repository, name.c_str()) == 0) {
            tip = id;
            ++count;
        }
    }
    git_strarray_dispose(&remotes);
    return count == 1 ? tip : std::nullopt;
}

Result<Unit> move_branch(git_repository* repository, const git_signature* who,
                         const BranchMove& move) {
    TRY(Mover(repository, move).run());
    if (keeps_log(repository)) {
        log_move(repository, who, move);
    }
    return Unit{};
}

Result<git::GitSignature> committer(git_repository* repository) {
    git_signature* who = nullptr;
    if (git_signature_default(&who, repository) != 0 &&
        git_signature_now(&who, "tailrender", "tailrender@localhost") != 0) {
        return git::git_failure("cannot make a signature", "--branch");
    }
    return git::GitSignature(who);
}

}  // namespace renderer::emit
