// Checks kustomizations: changes of names and namespaces that other objects rely on, and the env
// files of their generators. Source: kustomize api/internal/generators, api/internal/target.
#include <fmt/format.h>

#include <set>

#include "renderer/core/encrypted.h"
#include "renderer/engines/kustomize/env_file.h"
#include "renderer/engines/kustomize/generator_sources.h"
#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

bool disables_hash(const Value& holder, std::string_view field) {
    const Value* options = repo::map_of(holder, field);
    return options != nullptr && repo::flag_of(*options, "disableNameSuffixHash");
}

bool holds_text(const Value& value, std::string_view text) {
    bool found = false;
    repo::for_each_value(value, [&](const Value& one) { found = found || text_of(&one) == text; });
    return found;
}

// Finds users of a Secret that kustomize does not update: it rewrites names only in fields that it
// knows, not in custom resources or charts.
const RepositoryDocument* custom_user(const Repository& repository, std::string_view secret) {
    for (const RepositoryDocument& document : repository.documents) {
        const Value* spec = repo::map_of(document.root, "spec");
        if (document.group() == "tailscale.com" && spec != nullptr && holds_text(*spec, secret)) {
            return &document;
        }
    }
    return nullptr;
}

void check_hash(const LintContext& context, const RepositoryBuild& build, const Value& item) {
    const std::string_view name = repo::text_of(item, "name");
    if (disables_hash(item, "options") || disables_hash(build.root, "generatorOptions")) {
        return;
    }
    const RepositoryDocument* user = custom_user(context.repository, name);
    if (name != repo::kOAuthGenerator && user == nullptr) {
        return;
    }
    Finding found =
        context
            .error("secret-name-hash", item.find("name")->pos(),
                   fmt::format("kustomize appends a hash to \"{}\", but does not update the users "
                               "of the Secret",
                               name))
            .expected("disableNameSuffixHash: true")
            .hint("add \"generatorOptions: {disableNameSuffixHash: true}\"");
    if (user != nullptr) {
        found.note({.pos = user->pos, .object = user->object_name(), .text = "uses the Secret"});
    }
}

std::set<std::string, std::less<>> keys_of(std::string_view text) {
    std::set<std::string, std::less<>> keys;
    for (const engines::EnvEntry& entry : engines::parse_env_file(text).entries) {
        keys.emplace(entry.key);
    }
    return keys;
}

class EnvFileCheck {
public:
    EnvFileCheck(const LintContext& context, const RepositoryBuild& build, const Value& entry)
        : context_(context),
          entry_(entry),
          path_(repo::normal_path(repo::join_path(build.dir->path, text_of(&entry)))),
          relative_(repo::relative_path(path_, context.repository.root)),
          text_(context.repository.tree.read(path_)),
          example_(context.repository.tree.read(path_ + ".example")) {}

    void run() const {
        if (text_ && engines::is_encrypted(engines::parse_env_file(*text_))) {
            return;
        }
        check_git();
        check_example();
    }

private:
    void check_git() const {
        const GitIgnores& git = context_.git;
        if (!git.is_work_tree() || relative_.starts_with("../") || git.ignores(relative_)) {
            return;
        }
        const Severity severity = text_ ? Severity::Error : Severity::Warning;
        context_.diagnostics
            .say(severity, "env-file-in-git", entry_.pos(),
                 text_ ? fmt::format("Git does not ignore \"{}\", which holds credentials", path_)
                       : fmt::format("Git will not ignore \"{}\" once it exists", path_))
            .hint(fmt::format("add \"{}\" to a .gitignore beside it", repo::base_name(path_)));
    }

    void check_example() const {
        if (!example_ && !text_) {
            context_
                .warning("env-file-example", entry_.pos(),
                         "the file is missing, and its keys are unknown")
                .expected(fmt::format("\"{}.example\" with its keys", path_))
                .hint("commit an example without values");
        } else if (example_ && text_ && keys_of(*example_) != keys_of(*text_)) {
            context_
                .warning("env-file-example", entry_.pos(),
                         fmt::format("\"{}\" and its example have different keys", path_))
                .found(fmt::format("\"{}\"", fmt::join(keys_of(*text_), "\", \"")))
                .expected(fmt::format("\"{}\"", fmt::join(keys_of(*example_), "\", \"")));
        }
    }

    const LintContext& context_;
    const Value& entry_;
    std::string path_, relative_;
    Result<std::string> text_, example_;
};

// `namespace` overrides the namespaces in files.
void check_build_namespace(const LintContext& context, const RepositoryBuild& build) {
    const Value* ns = build.root.find("namespace");
    if (text_of(ns).empty()) {
        return;
    }
    for (const Value& entry : repo::list_of(build.root, "resources")) {
        const std::string path =
            repo::normal_path(repo::join_path(build.dir->path, text_of(&entry)));
        for (const RepositoryDocument& document : context.repository.documents) {
            const bool is_namespace = document.is_core("Namespace");
            const std::string_view own = is_namespace ? document.name() : document.ns();
            if (document.file->path != path || own.empty() || own == ns->text() ||
                is_encrypted_text(own)) {
                continue;
            }
            context.about(document)
                .warning("namespace-overwritten", ns->pos(),
                         is_namespace ? "kustomize renames this Namespace"
                                      : "kustomize moves this object to another namespace")
                .found(fmt::format("\"{}\" becomes \"{}\"", own, ns->text()))
                .hint("remove \"namespace\" here, or put the object into a separate kustomization")
                .note({.pos = document.pos, .text = "the object is here"});
        }
    }
}

}  // namespace

void check_kustomizations(const LintContext& context) {
    for (const RepositoryBuild& build : context.repository.builds) {
        check_build_namespace(context, build);
        for (const Value& item : repo::list_of(build.root, "secretGenerator")) {
            if (!item.is_map() || text_of(item.find("name")).empty()) {
                continue;
            }
            check_hash(context, build, item);
            for (const Value* entry : engines::env_files(item)) {
                EnvFileCheck(context, build, *entry).run();
            }
        }
    }
}

}  // namespace renderer::lint
