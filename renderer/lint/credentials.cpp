// Finds credentials in files of the repository. Their text is never part of a message.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/lint/families.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/confidential.h"
#include "renderer/secrets/secret_values.h"

namespace renderer::lint {

namespace {

void check_keys(const LintContext& context, SourceId source) {
    const std::string_view text = context.loaded.sources.text(source);
    for (std::size_t at = text.find("tskey-"); at != std::string_view::npos;
         at = text.find("tskey-", at + 1)) {
        const std::size_t length = secrets::tailscale_key_length(text.substr(at));
        if (length == 0 || secrets::is_example_key(text.substr(at, length))) {
            continue;
        }
        context
            .error("tailscale-key", context.loaded.sources.pos(source, at),
                   "a Tailscale key in plain text")
            .expected("no credential in a file that may be committed")
            .hint(
                "revoke it, and put the new one into a Secret of the cluster or an env file "
                "that git ignores")
            .hide_text();
    }
}

// True for names of files with variables: ".env", ".operator-oauth.env", "prod.env.local".
bool is_env_name(std::string_view name) {
    const std::size_t at = name.find(".env");
    const bool whole =
        at != std::string_view::npos && (at + 4 == name.size() || name[at + 4] == '.');
    return whole && !name.ends_with(".example") && !name.ends_with(".sample");
}

void check_env_files(const LintContext& context) {
    const Repository& repository = context.repository;
    for (const repo::WalkedDir& dir : repository.dirs) {
        const Result<std::vector<repo::Entry>> entries = repository.tree.list(dir.path);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            const std::string relative = repo::join_path(dir.relative, entry.name);
            if (entry.kind != repo::EntryKind::File || !is_env_name(entry.name) ||
                context.git.ignores(relative)) {
                continue;
            }
            const std::string path = repo::join_path(dir.path, entry.name);
            if (Result<std::string> text = repository.tree.read(path)) {
                check_keys(context, context.loaded.sources.add(path, std::move(*text)));
            }
        }
    }
}

bool is_placeholder(std::string_view value) {
    constexpr std::array<std::string_view, 8> kWords = {
        "<", "changeme", "change-me", "CHANGEME", "CHANGE_ME", "REPLACE", "your-", "YOUR_"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return value.find(word) != std::string_view::npos; });
}

// Reports the first plaintext value.
void check_secret(const LintContext& context, const RepositoryDocument& document) {
    const std::vector<secrets::ClearValue> values = secrets::clear_values(document.root);
    // The cluster fills in these tokens.
    if (values.empty() ||
        text_of(document.root.find("type")) == "kubernetes.io/service-account-token") {
        return;
    }
    const Member& member = *values.front().member;
    if (is_placeholder(values.front().text)) {
        context.about(document)
            .warning("placeholder-credential", member.key.pos(),
                     fmt::format("\"{}\" still has its example value", member.name()))
            .hint("create the Secret in the cluster with the real value")
            .hide_text();
        return;
    }
    context.about(document)
        .error("plaintext-secret", member.key.pos(),
               "a Secret with plaintext values in a Git work tree")
        .found(fmt::format("key \"{}\"", member.name()))
        .expected("a SealedSecret, an ExternalSecret, a file encrypted by SOPS, or no Secret")
        .hint("create it in the cluster; a value that was ever committed is no longer secret")
        .hide_text();
}

}  // namespace

void check_credentials(const LintContext& context) {
    for (const RepositoryFile& file : context.repository.files) {
        if (!context.git.ignores(file.relative)) {
            check_keys(context, file.source);
        }
    }
    check_env_files(context);
    for (const RepositoryDocument& document : context.repository.documents) {
        if (document.is_core("Secret") && context.git.is_work_tree() &&
            !context.git.ignores(document.file->relative)) {
            check_secret(context, document);
        }
    }
}

}  // namespace renderer::lint
