// Checks Helm plug-ins in the repository. Helm 4 accepts a post-renderer only as a plug-in of the
// new form. Helm 3 reads the same directories, and one file of that form makes it lose all its
// plug-ins. Source: Helm internal/plugin/{loader,metadata_v1}.go (v4), pkg/plugin/plugin.go (v3).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

constexpr std::array<std::string_view, 8> kKeys = {"apiVersion",    "config",    "name", "runtime",
                                                   "runtimeConfig", "sourceURL", "type", "version"};

bool is_plugin(const RepositoryDocument& document) {
    return repo::base_name(document.file->relative) == "plugin.yaml" &&
           document.root.find("name") != nullptr && document.root.find("version") != nullptr;
}

bool is_new(const RepositoryDocument& plugin) {
    return plugin.api_version() == "v1";
}

// Helm 4 skips a plug-in with one of these mistakes and reports that it was not found.
void check_new(const LintContext& context, const RepositoryDocument& plugin) {
    const auto refuse = [&](Pos pos, std::string message, std::string_view expected) {
        context.error("helm-plugin", pos, std::move(message)).expected(expected);
    };
    for (const Member& member : plugin.root.members()) {
        if (std::ranges::find(kKeys, member.name()) == kKeys.end()) {
            refuse(member.key.pos(),
                   fmt::format("Helm 4 skips a plug-in with the unknown key \"{}\"", member.name()),
                   fmt::format("\"{}\"", fmt::join(kKeys, "\", \"")));
        }
    }
    const Value* version = plugin.root.find("version");
    const std::string_view text = text_of(version);
    if (text.starts_with('v') || std::ranges::count(text, '.') < 2) {
        refuse(version->pos(), "Helm 4 skips a plug-in whose version is not strict SemVer",
               "three numbers without \"v\", such as \"0.1.0\"");
    }
    const Value* config = plugin.root.find("config");
    const bool post_renderer = repo::text_of(plugin.root, "type") == "postrenderer/v1";
    if (post_renderer && config != nullptr && config->is_map() && config->size() > 0) {
        refuse(config->pos(), "a post-renderer does not support \"config\"", "none, or \"{}\"");
    }
}

// With both forms below one directory in HELM_PLUGINS, Helm 3 loads none of them.
void check_mixed(const LintContext& context, const RepositoryDocument& plugin) {
    const std::string parent = repo::parent_path(repo::parent_path(plugin.file->relative));
    for (const RepositoryDocument& other : context.repository.documents) {
        if (is_plugin(other) && !is_new(other) &&
            repo::parent_path(repo::parent_path(other.file->relative)) == parent) {
            context
                .warning("helm-plugin-mixed", plugin.root.pos(),
                         "Helm 3 rejects this plug-in and then loads no plug-in of the directory")
                .expected("separate directories for the plug-ins of Helm 3 and Helm 4")
                .hint("set HELM_PLUGINS to another directory for Helm 4")
                .note({.pos = other.root.pos(), .text = "a plug-in for Helm 3"});
            return;
        }
    }
}

}  // namespace

void check_helm_plugins(const LintContext& context) {
    for (const RepositoryDocument& document : context.repository.documents) {
        if (is_plugin(document) && is_new(document)) {
            check_new(context, document);
            check_mixed(context, document);
        }
    }
}

}  // namespace renderer::lint
