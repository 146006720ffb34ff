#include "renderer/emit/git_remote.h"

#include <fmt/format.h>

#include <array>
#include <span>

namespace renderer {

namespace {

// What a connection is for, and what came of it.
struct Session {
    bool asked_for_key = false;
    std::string rejected;  // why the other side did not take the branch
};

// SSH keys come from the agent; a name and password for HTTPS only from the URL, where libgit2
// takes them before it asks here.
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
    git_error_set_str(GIT_ERROR_NET, "no credentials that the remote takes");
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

// `https://user:password@host/x` -> `https://host/x`, wherever it stands.
std::string without_passwords(std::string text) {
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
        at += 3;
        const std::size_t end = std::min(text.find_first_of("/ '\"", at), text.size());
        const std::size_t name = text.substr(at, end - at).rfind('@');
        if (name != std::string::npos) {
            text.erase(at, name + 1);
        }
    }
    return text;
}

Error remote_error(const std::string& remote, std::string_view what, std::string hint) {
    return {{.rule = "git-remote",
             .where = "--push",
             .message = without_passwords(fmt::format("{}: {}", what, last_git_message())),
             .found = fmt::format("\"{}\"", without_passwords(remote)),
             .hint = std::move(hint)}};
}

Result<GitRemote> open_remote(git_repository* repository, const std::string& remote) {
    git_remote* got = nullptr;
    const bool is_place = remote.find_first_of("/:") != std::string::npos;
    const int code = is_place ? git_remote_create_anonymous(&got, repository, remote.c_str())
                              : git_remote_lookup(&got, repository, remote.c_str());
    if (code != 0) {
        return remote_error(remote, "there is no such remote", "\"git remote -v\" lists them");
    }
    return GitRemote(got);
}

// libgit2 walks over commits that a shallow clone lacks; git itself does not.
std::string hint_for(git_repository* repository, std::string_view command) {
    return git_repository_is_shallow(repository) == 1
               ? fmt::format(
                     "this is a shallow clone, which libgit2 cannot always work with: {}, or "
                     "\"git fetch --unshallow\" and run again",
                     command)
               : "run again";
}

}  // namespace

Result<std::optional<git_oid>> fetch_tip(git_repository* repository, const std::string& remote,
                                         const std::string& branch) {
    const GitRemote handle = TRY(open_remote(repository, remote));
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
    std::array<char*, 1> names = {const_cast<char*>(name.c_str())};  // libgit2 only reads it
    const git_strarray wanted{.strings = names.data(), .count = names.size()};
    git_fetch_options options{};
    git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
    options.callbacks = callbacks;
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    if (git_remote_download(handle.get(), &wanted, &options) != 0) {
        return remote_error(remote, "cannot fetch the branch",
                            hint_for(repository, fmt::format("\"git fetch {} {}\"",
                                                             without_passwords(remote), branch)));
    }
    return tip;
}

Result<Unit> push_branch(git_repository* repository, const std::string& remote,
                         const std::string& branch) {
    const GitRemote handle = TRY(open_remote(repository, remote));
    Session session;
    const std::string spec = fmt::format("refs/heads/{0}:refs/heads/{0}", branch);
    std::array<char*, 1> specs = {const_cast<char*>(spec.c_str())};  // libgit2 only reads it
    const git_strarray wanted{.strings = specs.data(), .count = specs.size()};
    git_push_options options{};
    git_push_options_init(&options, GIT_PUSH_OPTIONS_VERSION);
    options.callbacks = callbacks_of(session);
    if (git_remote_upload(handle.get(), &wanted, &options) != 0) {
        return remote_error(remote, "cannot push the branch; the commit is made, not sent",
                            hint_for(repository, fmt::format("\"git push {} {}\"",
                                                             without_passwords(remote), branch)));
    }
    if (!session.rejected.empty()) {
        Error error = remote_error(remote, "", "run again after the remote allows it");
        error.diagnostic.message =
            fmt::format("the remote did not take the branch: {}", session.rejected);
        return error;
    }
    return Unit{};
}

}  // namespace renderer
