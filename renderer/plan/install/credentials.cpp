#include "renderer/plan/install/credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/ascii.h"
#include "renderer/plan/install/controller.h"
#include "renderer/plan/secret_source.h"

namespace renderer::plan {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

// OAuth ids and secrets are letters, digits, dashes and underscores. Quotes and blanks would become
// part of the credential; brackets and "changeme" are what examples have.
bool is_placeholder(std::string_view value) {
    const std::string lower = lower_case(value);
    constexpr std::array<std::string_view, 4> kWords = {"changeme", "change-me", "replace",
                                                        "your-"};
    return value.find_first_of("<>{}$\"' \t\r") != std::string_view::npos ||
           value.find_first_not_of(".xX*") == std::string_view::npos ||
           std::ranges::any_of(kWords, [&](std::string_view word) {
               return lower.find(word) != std::string::npos;
           });
}

std::string take_credential(const engines::OAuthEnvFile& file, std::string_view key,
                            Diagnostics& diagnostics) {
    const auto entry = std::ranges::find(file.entries, key, &Entries::value_type::first);
    const bool missing = entry == file.entries.end() || entry->second.empty();
    if (!missing && !is_placeholder(entry->second)) {
        return entry->second;
    }
    diagnostics
        .error(missing ? "missing-credential" : "placeholder-credential", file.pos,
               missing ? fmt::format("\"{}\" has no value for \"{}\"", file.path, key)
                       : fmt::format("\"{}\" in \"{}\" is a placeholder, quoted or has spaces", key,
                                     file.path))
        .where(file.path)
        .expected(fmt::format("a line \"{}=…\" with the bare value", key));
    return {};
}

void generate_secret(const load::Loaded& loaded, InstallPlan& install, Diagnostics& diagnostics) {
    if (!loaded.oauth_env || !loaded.oauth_env->present) {
        const bool listed = loaded.oauth_env.has_value();
        diagnostics
            .error("missing-credential", listed ? loaded.oauth_env->pos : install.origin.pos,
                   "\"tailrender.secrets: generate\" needs the OAuth env file")
            .found(listed ? fmt::format("no file \"{}\"", loaded.oauth_env->path)
                          : "no secretGenerator named \"operator-oauth\"")
            .expected("an env file with \"client_id\" and \"client_secret\"")
            .hint(
                "copy the .example file and fill it in, or use "
                "\"tailrender.secrets: reference\"");
        return;
    }
    if (loaded.oauth_env->encrypted) {
        diagnostics
            .error("encrypted-credential", loaded.oauth_env->pos,
                   fmt::format("\"{}\" is encrypted by SOPS", loaded.oauth_env->path))
            .where(loaded.oauth_env->path)
            .expected("values in plain text, which are only printed to stdout")
            .hint(
                "decrypt it before this run, or use \"tailrender.secrets: reference\" and let "
                "Flux decrypt it");
        return;
    }
    install.oauth_secret = true;
    install.client_id = take_credential(*loaded.oauth_env, "client_id", diagnostics);
    install.client_secret = take_credential(*loaded.oauth_env, "client_secret", diagnostics);
}

// A Secret of the static manifest that is a placeholder is taken out, any other is refused there.
std::optional<SecretSource> other_source(const load::Loaded& loaded,
                                         const classify::OperatorInput& stock,
                                         const InstallPlan& install, Diagnostics& diagnostics) {
    std::optional<SecretSource> source =
        find_secret(loaded, {.ns = install.ns, .name = install.names.oauth_secret}, diagnostics);
    const bool of_manifest =
        source && std::ranges::find(stock.parts, source->document) != stock.parts.end();
    return of_manifest ? std::nullopt : source;
}

// Returns the key of the file that is meant by `key`, such as CLIENT_ID; "" if there is none.
std::string_view near_entry(const engines::OAuthEnvFile& file, std::string_view key) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : file.entries) {
        names.push_back(name);
    }
    return nearest(key, names);
}

// Warns of keys and values with which no controller gets a token. Values are never shown.
void check_env_file(const engines::OAuthEnvFile& file, Diagnostics& diagnostics) {
    constexpr std::string_view kRule = "suspicious-env-file";
    for (const std::string_view key : {"client_id", "client_secret"}) {
        const auto entry = std::ranges::find(file.entries, key, &Entries::value_type::first);
        if (entry == file.entries.end()) {
            const std::string_view near = near_entry(file, key);
            diagnostics
                .warning(kRule, file.pos, fmt::format("\"{}\" has no \"{}\"", file.path, key))
                .expected(fmt::format("a line \"{}=…\" with a value of the OAuth client", key))
                .hint(near.empty() ? "add it" : fmt::format("write {} in place of {}", key, near));
        } else if (entry->second.starts_with("tskey-auth-") ||
                   entry->second.starts_with("tskey-api-")) {
            diagnostics
                .warning(kRule, file.pos,
                         fmt::format("\"{}\" in \"{}\" is a key of another kind", key, file.path))
                .found(entry->second.starts_with("tskey-auth-") ? "an auth key" : "an API token")
                .expected("the id and the secret of an OAuth client")
                .hint("create an OAuth client in the admin console: docs/install.md");
        } else if (key == "client_id" && entry->second.starts_with("tskey-")) {
            diagnostics
                .warning(kRule, file.pos,
                         fmt::format("\"client_id\" in \"{}\" is a secret", file.path))
                .expected("the id of the OAuth client, which does not begin with \"tskey-\"")
                .hint("exchange it with \"client_secret\"");
        }
    }
}

std::vector<std::string> reference_secret(const std::optional<SecretSource>& source,
                                          const InstallPlan& install, Diagnostics& diagnostics) {
    const std::string name = fmt::format("{}/{}", install.ns, install.names.oauth_secret);
    if (!source) {
        return {fmt::format(
            "Secret {} must exist in the cluster, with the keys client_id and client_secret",
            name)};
    }
    for (const std::string_view key : missing_keys(*source)) {
        const Document* document = source->document;
        diagnostics
            .error("incomplete-oauth-secret",
                   document == nullptr ? install.origin.pos : document->kind.pos(),
                   fmt::format("the Secret \"{}\" will have no \"{}\"", name, key))
            .object(document == nullptr ? fmt::format("Secret/{}", name) : document->object_name())
            .expected("the keys client_id and client_secret of an OAuth client");
    }
    return {};
}

void refuse_two_sources(const SecretSource& source, const Settings& settings,
                        const InstallPlan& install, Diagnostics& diagnostics) {
    const std::string name = fmt::format("{}/{}", install.ns, install.names.oauth_secret);
    Finding refusal =
        diagnostics
            .error("two-credentials", settings.secrets_pos,
                   fmt::format("the Secret \"{}\" has two sources", name))
            .found("this setting, and a secretGenerator")
            .hint("remove one of them; \"tailrender.secrets: reference\" uses the other as is");
    if (source.document != nullptr) {
        refusal.found(fmt::format("this setting, and {}", source.document->object_name()))
            .note({.pos = source.document->kind.pos(), .text = "the other is here"});
    }
}

// What the ExternalSecret cannot do without.
void check_external(const Settings& settings, Diagnostics& diagnostics) {
    const ExternalSecretSettings& external = settings.external_secret;
    struct Needed {
        std::string_view key, value, expected;
    };
    const std::array<Needed, 3> needed = {
        {{"store", external.store, "the name of a SecretStore or ClusterSecretStore"},
         {"clientId.key", external.client_id.key, "the store's key of the client's id"},
         {"clientSecret.key", external.client_secret.key,
          "the store's key of the client's secret"}}};
    for (const Needed& need : needed) {
        if (need.value.empty()) {
            diagnostics
                .error(
                    "missing-setting", settings.secrets_pos,
                    fmt::format(
                        "\"tailrender.secrets: external\" needs \"tailrender.externalSecret.{}\"",
                        need.key))
                .expected(need.expected);
        }
    }
}

}  // namespace

std::vector<std::string> plan_credentials(const load::Loaded& loaded,
                                          const classify::OperatorInput& stock,
                                          const Settings& settings, InstallPlan& install,
                                          Diagnostics& diagnostics) {
    if (credentials_of(settings) != Credentials::Secret) {
        return {};
    }
    const std::optional<SecretSource> other = other_source(loaded, stock, install, diagnostics);
    if (loaded.oauth_env && loaded.oauth_env->present && !loaded.oauth_env->encrypted &&
        settings.secrets == SecretsMode::Reference) {
        check_env_file(*loaded.oauth_env, diagnostics);
    }
    if (settings.secrets == SecretsMode::Reference) {
        return reference_secret(other, install, diagnostics);
    }
    if (other) {
        refuse_two_sources(*other, settings, install, diagnostics);
    } else if (settings.secrets == SecretsMode::Generate) {
        generate_secret(loaded, install, diagnostics);
    } else {
        check_external(settings, diagnostics);
        install.external_secret = true;
    }
    return {};
}

}  // namespace renderer::plan
