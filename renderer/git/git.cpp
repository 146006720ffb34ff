#include "renderer/git/git.h"

#include <fmt/format.h>
#include <git2/sys/repository.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "renderer/base/check.h"
#include "renderer/base/printable.h"

namespace renderer::git {

namespace {

namespace fs = std::filesystem;

// Enables repository extensions that do not affect us: a missing object of a partial clone is an
// error of its own, and the configuration of a work tree is not read.
void start() {
    git_libgit2_init();
    std::array<const char*, 2> known = {"partialclone", "worktreeconfig"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, known.data(), known.size());
}

// Returns the nearest directory that exists, with symbolic links resolved.
fs::path existing_directory(const std::string& path) {
    std::error_code ignored;
    fs::path dir = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    while (!fs::is_directory(dir, ignored) && dir != dir.parent_path()) {
        dir = dir.parent_path();
    }
    return dir;
}

// True if the user's or the machine's configuration trusts every repository ("*"). As in git, an
// empty value resets what came before. libgit2 1.5 supports paths only.
bool trusts_every_owner() {
    git_config* opened = nullptr;
    if (git_config_open_default(&opened) != 0) {
        return false;
    }
    const std::unique_ptr<git_config, GitFree<git_config_free>> config(opened);
    bool trusted = false;
    const auto look = [](const git_config_entry* entry, void* answer) {
        const std::string_view value = entry->value;
        bool& trusts = *static_cast<bool*>(answer);
        trusts = !value.empty() && (trusts || value == "*");
        return 0;
    };
    git_config_get_multivar_foreach(opened, "safe.directory", nullptr, look, &trusted);
    return trusted;
}

GitRepository open_repository(const std::string& dir, int& code) {
    git_repository* opened = nullptr;
    code = git_repository_open_ext(&opened, dir.c_str(), GIT_REPOSITORY_OPEN_CROSS_FS, nullptr);
    return GitRepository(opened);
}

// True if the repository belongs to another user. libgit2 1.5 reports that, or, if no
// "safe.directory" is configured at all, that it found nothing.
bool is_foreign(int code, const std::string& dir) {
    git_buf found = GIT_BUF_INIT;
    const bool foreign =
        code == GIT_EOWNER ||
        (code == GIT_ENOTFOUND && git_repository_discover(&found, dir.c_str(), 1, nullptr) == 0);
    git_buf_dispose(&found);
    return foreign;
}

// Returns the path that "safe.directory" would have to name.
std::string top_of(git_repository* repository) {
    const char* work_tree = git_repository_workdir(repository);
    std::string top = work_tree == nullptr ? git_repository_path(repository) : work_tree;
    if (top.ends_with('/')) {
        top.pop_back();
    }
    return top;
}

Result<GitRepository> open_foreign(const std::string& path, const std::string& dir) {
    const bool trusted = trusts_every_owner();
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    int code = 0;
    GitRepository opened = open_repository(dir, code);
    if (trusted && opened != nullptr) {
        return opened;
    }
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
    const std::string top = opened == nullptr ? dir : top_of(opened.get());
    return Error{
        {.rule = "git-owner",
         .where = path,
         .message = "the Git repository belongs to another user",
         .found = fmt::format("\"{}\"", top),
         .hint = fmt::format("if you trust it: git config --global --add safe.directory {}",
                             shell_word(top))}};
}

Error cannot_open(const std::string& path) {
    const std::string why = last_git_message();
    if (why.find("objectformat") != std::string::npos) {
        return {{.rule = "git-sha256",
                 .where = path,
                 .message = "Git repositories with SHA-256 object names are not supported",
                 .expected = "a repository with SHA-1 object names",
                 .hint = "check the revision out and render the directory"}};
    }
    if (why.find("extension") != std::string::npos) {
        return {{.rule = "git-extension",
                 .where = path,
                 .message = fmt::format("the Git repository uses unsupported features: {}", why),
                 .hint = "check the revision out and render the directory"}};
    }
    return git_failure("cannot open the Git repository", path);
}

}  // namespace

void start_git() {
    static std::once_flag once;
    std::call_once(once, start);
}

std::string last_git_message() {
    const ::git_error* error = git_error_last();
    std::string text =
        error == nullptr || error->message == nullptr ? "unknown error" : error->message;
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a') {
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    while (text.ends_with('.') || text.ends_with('\n')) {
        text.pop_back();
    }
    return text;
}

Error git_failure(std::string_view what, std::string where) {
    return {{.rule = "git",
             .where = std::move(where),
             .message = fmt::format("{}: {}", what, last_git_message())}};
}

Result<FoundRepository> find_repository(const std::string& path) {
    start_git();
    const std::string dir = existing_directory(path).string();
    int code = 0;
    GitRepository opened = open_repository(dir, code);
    if (is_foreign(code, dir)) {
        opened = TRY(open_foreign(path, dir));
    } else if (code == GIT_ENOTFOUND) {
        return Error{{.rule = "no-repository",
                      .where = path,
                      .message = "this path is not in a Git repository",
                      .expected = "a path in a work tree or in a bare repository"}};
    } else if (code != 0) {
        return cannot_open(path);
    }
    std::error_code ignored;
    const std::string root = fs::canonical(top_of(opened.get()), ignored).string();
    return FoundRepository{.handle = std::move(opened), .root = root};
}

GitRepository empty_repository() {
    start_git();
    git_repository* repository = nullptr;
    git_config* none = nullptr;
    CHECK(git_repository_new(&repository) == 0 && git_config_new(&none) == 0);
    CHECK(git_repository_set_config(repository, none) == 0);
    git_config_free(none);
    return GitRepository(repository);
}

Result<GitCommit> find_commit(git_repository* repository, const std::string& revision) {
    git_object* object = nullptr;
    const int code = git_revparse_single(&object, repository, revision.c_str());
    const GitObject found(object);
    if (code == 0) {
        git_object* commit = nullptr;
        if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) {
            return GitCommit(reinterpret_cast<git_commit*>(commit));
        }
    }
    const bool shallow = git_repository_is_shallow(repository) == 1;
    return Error{{.rule = "unknown-revision",
                  .where = "--rev",
                  .message = code == GIT_EAMBIGUOUS ? "ambiguous short id"
                             : code == 0            ? "the revision is not a commit"
                                                    : "unknown revision",
                  .found = fmt::format("\"{}\"", revision),
                  .expected = "a branch, a tag or the id of a commit",
                  .hint = shallow ? "this is a shallow clone: run \"git fetch --unshallow\"" : ""}};
}

std::vector<std::string> revision_names(git_repository* repository) {
    std::vector<std::string> names;
    const auto add = [](git_reference* reference, void* to) {
        const GitReference owned(reference);
        if (git_reference_is_branch(reference) == 1 || git_reference_is_remote(reference) == 1 ||
            git_reference_is_tag(reference) == 1) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(
                git_reference_shorthand(reference));
        }
        return 0;
    };
    git_reference_foreach(repository, add, &names);
    std::ranges::sort(names);
    return names;
}

std::string hex_id(const git_oid& id) {
    std::string text(GIT_OID_HEXSZ, '0');
    git_oid_fmt(text.data(), &id);
    return text;
}

}  // namespace renderer::git
