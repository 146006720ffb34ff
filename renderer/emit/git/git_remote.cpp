#include "renderer/emit/git/git_remote.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>
#include <system_error>

#include "renderer/base/printable.h"
#include "renderer/emit/git/git_branch.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::emit {

namespace {

// The state of one connection.
struct Session {
    bool asked_for_key = false;
    std::string rejected;  // why the remote rejected the branch
};

// SSH keys come from the agent. A name and password for HTTPS come only from the URL; libgit2 uses
// those before it calls this.
int offer_credential(git_credential** out, const char* /*url*/, const char* user_in_url,
                     unsigned allowed, void* payload) {
    auto& session = *static_cast<Session*>(payload);
    const char* user = user_in_url == nullptr ? "git" : user_in_url;
    if ((allowed & GIT_CREDENTIAL_USERNAME) != 0) {
        return git_credential_username_new(out, user);
    }
    if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0 && !session.asked_for_key) {
        session.asked_for_key = true;
        return git_credential_ssh_key_from_agent(out, user);
    }
    git_error_set_str(GIT_ERROR_NET, "no credentials that the remote accepts");
    return GIT_EAUTH;
}

int note_rejection(const char* /*reference*/, const char* status, void* payload) {
    if (status != nullptr) {
        static_cast<Session*>(payload)->rejected = status;
    }
    return 0;
}

git_remote_callbacks callbacks_of(Session& session) {
    git_remote_callbacks callbacks{};
    git_remote_init_callbacks(&callbacks, GIT_REMOTE_CALLBACKS_VERSION);
    callbacks.credentials = offer_credential;
    callbacks.push_update_reference = note_rejection;
    callbacks.payload = &session;
    return callbacks;
}

// Turns `https://user:password@host/x?token=y` into `https://host/x` anywhere in the text.
std::string without_passwords(std::string text) {
    for (std::string_view name = secrets::find_userinfo(text); !name.empty();
         name = secrets::find_userinfo(text)) {
        text.erase(static_cast<std::size_t>(name.data() - text.data()), name.size() + 1);
    }
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
        at += 3;
        const std::size_t stop = std::min(text.find_first_of(" '\"", at), text.size());
        const std::size_t query = text.find_first_of("?#", at);
        if (query < stop) {
            text.erase(query, stop - query);
        }
    }
    return text;
}

Error remote_error(const std::string& remote, std::string_view what, std::string hint) {
    return {{.rule = "git-remote",
             .where = "--push",
             .message = without_passwords(fmt::format("{}: {}", what, git::last_git_message())),
             .found = fmt::format("\"{}\"", without_passwords(remote)),
             .hint = std::move(hint)}};
}

// As in git, relative paths in the configuration start at the top of the work tree.
std::string absolute_path(git_repository* repository, const std::string& path, bool configured) {
    const char* top = configured ? git_repository_workdir(repository) : nullptr;
    std::error_code ignored;
    return std::filesystem::absolute(top == nullptr ? path : std::string(top) + path, ignored)
        .string();
}

// Returns the directory of a remote on this machine, "" for other remotes.
std::string directory_of(git_repository* repository, const std::string& url, bool configured) {
    constexpr std::string_view kFile = "file://";
    if (url.starts_with(kFile) || url.starts_with('/')) {
        return url.starts_with('/') ? url : url.substr(kFile.size());
    }
    return url.find(':') < url.find('/') ? "" : absolute_path(repository, url, configured);
}

struct Remote {
    git::GitRemote handle;
    std::string directory;  // "" unless it is on this machine
};

Result<Remote> open_remote(git_repository* repository, const std::string& remote) {
    git_remote* got = nullptr;
    const bool is_place = remote.find_first_of("/:") != std::string::npos;
    const int code = is_place ? git_remote_create_anonymous(&got, repository, remote.c_str())
                              : git_remote_lookup(&got, repository, remote.c_str());
    Remote opened{.handle = git::GitRemote(got), .directory = {}};
    if (code != 0) {
        return remote_error(remote, "unknown remote", "\"git remote -v\" lists them");
    }
    const char* push_url = git_remote_pushurl(got);
    opened.directory =
        directory_of(repository, push_url == nullptr ? git_remote_url(got) : push_url, !is_place);
    if (!opened.directory.empty()) {
        git_remote* local = nullptr;
        git_remote_create_anonymous(&local, repository, opened.directory.c_str());
        opened.handle.reset(local);
    }
    return opened;
}

// libgit2 needs the commits that a shallow clone lacks; git itself does not.
std::string hint_for(git_repository* repository, std::string_view command) {
    return git_repository_is_shallow(repository) == 1
               ? fmt::format(
                     "this is a shallow clone, which libgit2 does not fully support: {}, or \"git "
                     "fetch --unshallow\" and run again",
                     command)
               : "run again";
}

Result<Unit> download(git_remote* handle, const std::string& reference, Session& session) {
    std::array<char*, 1> names = {const_cast<char*>(reference.c_str())};  // libgit2 only reads it
    const git_strarray wanted{.strings = names.data(), .count = names.size()};
    git_fetch_options options{};
    git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
    options.callbacks = callbacks_of(session);
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    if (git_remote_download(handle, &wanted, &options) != 0) {
        return git::git_failure("cannot fetch the branch", "--push");
    }
    return Unit{};
}

// Pushes to a repository on this machine: that repository fetches the commit, then its branch is
// moved like ours, so that a kill leaves no lock there either.
Result<Unit> push_to_directory(git_repository* repository, const std::string& directory,
                               const std::string& branch) {
    git_repository* got = nullptr;
    if (git_repository_open(&got, directory.c_str()) != 0) {
        return git::git_failure("cannot open the repository", "--push");
    }
    const git::GitRepository theirs(got);
    const std::string reference = "refs/heads/" + branch;
    BranchMove move{.branch = branch, .reason = "push"};
    move.from = TRY(branch_tip(got, branch));
    if (git_reference_name_to_id(&move.to, repository, reference.c_str()) != 0) {
        return git::git_failure("cannot read the branch", "--push");
    }
    if (move.from && git_oid_equal(&*move.from, &move.to) != 0) {
        return Unit{};
    }
    if (move.from && git_graph_descendant_of(repository, &move.to, &*move.from) != 1) {
        return Error{{.rule = "branch-diverged",
                      .where = "--push",
                      .message = "the remote's branch has commits that are missing here"}};
    }
    git_remote* source = nullptr;
    if (git_remote_create_anonymous(&source, got, git_repository_commondir(repository)) != 0) {
        return git::git_failure("cannot reach this repository from the other", "--push");
    }
    const git::GitRemote handle(source);
    Session session;
    TRY(download(source, reference, session));
    const git::GitSignature who = TRY(committer(repository));
    return move_branch(got, who.get(), move);
}

}  // namespace

Result<std::optional<git_oid>> fetch_tip(git_repository* repository, const std::string& remote,
                                         const std::string& branch) {
    const Remote opened = TRY(open_remote(repository, remote));
    const git::GitRemote& handle = opened.handle;
    Session session;
    const git_remote_callbacks callbacks = callbacks_of(session);
    if (git_remote_connect(handle.get(), GIT_DIRECTION_FETCH, &callbacks, nullptr, nullptr) != 0) {
        return remote_error(remote, "cannot reach the remote", "");
    }
    const git_remote_head** heads = nullptr;
    std::size_t count = 0;
    if (git_remote_ls(&heads, &count, handle.get()) != 0) {
        return remote_error(remote, "cannot list the remote's branches", "");
    }
    const std::string name = "refs/heads/" + branch;
    std::optional<git_oid> tip;
    for (const git_remote_head* head : std::span(heads, count)) {
        if (head->name == name) {
            tip = head->oid;
        }
    }
    git_commit* here = nullptr;
    if (!tip || git_commit_lookup(&here, repository, &*tip) == 0) {
        git_commit_free(here);
        return tip;
    }
    Result<Unit> downloaded = download(handle.get(), name, session);
    if (!downloaded) {
        return remote_error(remote, "cannot fetch the branch",
                            hint_for(repository, fmt::format("\"git fetch {} {}\"",
                                                             shell_word(without_passwords(remote)),
                                                             shell_word(branch))));
    }
    return tip;
}

Result<Unit> push_branch(git_repository* repository, const std::string& remote,
                         const std::string& branch) {
    const Remote opened = TRY(open_remote(repository, remote));
    const git::GitRemote& handle = opened.handle;
    const std::string hint = hint_for(
        repository, fmt::format("\"git push {} {}\"", shell_word(without_passwords(remote)),
                                shell_word(branch)));
    if (!opened.directory.empty()) {
        Result<Unit> pushed = push_to_directory(repository, opened.directory, branch);
        if (!pushed && pushed.error().diagnostic.rule == "git") {
            return remote_error(remote, "cannot push the branch; the commit was created", hint);
        }
        return pushed;
    }
    Session session;
    const std::string spec = fmt::format("refs/heads/{0}:refs/heads/{0}", branch);
    std::array<char*, 1> specs = {const_cast<char*>(spec.c_str())};  // libgit2 only reads it
    const git_strarray wanted{.strings = specs.data(), .count = specs.size()};
    git_push_options options{};
    git_push_options_init(&options, GIT_PUSH_OPTIONS_VERSION);
    options.callbacks = callbacks_of(session);
    if (git_remote_upload(handle.get(), &wanted, &options) != 0) {
        return remote_error(remote, "cannot push the branch; the commit was created", hint);
    }
    if (!session.rejected.empty()) {
        Error error = remote_error(remote, "", "run again when the remote allows it");
        error.diagnostic.message =
            fmt::format("the remote rejected the branch: {}", session.rejected);
        return error;
    }
    return Unit{};
}

}  // namespace renderer::emit
