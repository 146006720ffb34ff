#include "renderer/engines/kustomize/generator_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class GeneratorReader {
public:
    GeneratorReader(const BuildContext& context, const Kustomization& file, const Value& item,
                    bool is_secret)
        : context_(context), file_(file), item_(item) {
        input_.is_secret = is_secret;
    }

    std::optional<GeneratorInput> read() {
        const std::size_t before = context_.diagnostics.error_count();
        input_.name = repo::text_of(item_, "name");
        input_.ns = repo::text_of(item_, "namespace");
        input_.type = repo::text_of(item_, "type");
        check_head();
        read_options();
        read_pairs();
        if (context_.diagnostics.error_count() != before) {
            return std::nullopt;
        }
        return std::move(input_);
    }

private:
    Finding error(std::string_view rule, const Value& place, std::string message) {
        return context_.diagnostics.error(rule, place.pos(), std::move(message));
    }

    void check_head() {
        if (input_.name.empty()) {
            error("invalid-generator", item_, "a generator needs a name").expected("name: db");
        }
        const std::string_view behavior = repo::text_of(item_, "behavior");
        if (!behavior.empty() && behavior != "create" && behavior != "unspecified") {
            error("not-supported", *item_.find("behavior"),
                  fmt::format("behavior \"{}\" is not supported by tailrender", behavior))
                .expected("create")
                .hint(fmt::format("run kustomize: kustomize build {} | tailrender post-render",
                                  shell_word(file_.dir)));
        }
    }

    static std::vector<KeyValue> merged(const Value* local, const Value* global,
                                        std::string_view key) {
        std::vector<KeyValue> result;
        for (const Value* options : {local, global}) {
            for (const Member& member :
                 members_of(options == nullptr ? nullptr : options->find(key))) {
                if (std::ranges::find(result, member.name(), &KeyValue::key) == result.end()) {
                    result.push_back(
                        {std::string(member.name()), std::string(member.value.text())});
                }
            }
        }
        return result;
    }

    // The generator's own labels take precedence. Flags are or-ed, so its `false` has no effect.
    void read_options() {
        const Value* local = repo::map_of(item_, "options");
        const Value* global = repo::map_of(file_.root, "generatorOptions");
        const auto either = [&](std::string_view key) {
            return (local != nullptr && repo::flag_of(*local, key)) ||
                   (global != nullptr && repo::flag_of(*global, key));
        };
        input_.options.labels = merged(local, global, "labels");
        input_.options.annotations = merged(local, global, "annotations");
        input_.options.disable_name_suffix_hash = either("disableNameSuffixHash");
        input_.options.immutable = either("immutable");
    }

    void read_pairs() {
        for (const Value* entry : env_files(item_)) {
            read_env(*entry);
        }
        for (const Value& literal : repo::list_of(item_, "literals")) {
            std::optional<KeyValue> pair = parse_literal(literal.text());
            if (!pair) {
                error("invalid-generator", literal, "a literal is not \"key=value\"")
                    .expected("key=value")
                    .hide_text();
                continue;
            }
            add(std::move(*pair), literal.pos());
        }
        for (const Value& source : repo::list_of(item_, "files")) {
            read_file(source);
        }
    }

    // The key is not printed: the key of a line without `=` may be a credential.
    void add(KeyValue pair, Pos pos) {
        const auto [first, added] = places_.try_emplace(pair.key, pos);
        if (!added) {
            context_.diagnostics
                .error("duplicate-key", pos,
                       fmt::format("generator \"{}\" has this key twice", input_.name))
                .expected("each key once in envs, literals and files")
                .hint("remove one of them")
                .note({.pos = first->second, .text = "the first one is here"})
                .hide_text();
            return;
        }
        input_.pairs.push_back(std::move(pair));
    }

    // Returns the contents of a file that an entry names. A file that kustomize would not read is
    // an error.
    std::optional<std::string> contents(const Value& entry, std::string_view relative) {
        const std::string path = repo::normal_path(repo::join_path(file_.dir, relative));
        if (relative.find("://") != std::string_view::npos || relative.starts_with('/') ||
            !context_.may_load(path, file_.dir)) {
            error("outside-kustomization", entry,
                  fmt::format("\"{}\" is not in or below the kustomization's directory", relative))
                .expected("kustomize only reads files in or below its directory")
                .hint("move the file");
            return std::nullopt;
        }
        Result<std::string> text = context_.tree.read(path);
        if (!text) {
            error(
                "missing-file", entry,
                fmt::format("cannot read \"{}\", which generator \"{}\" lists", path, input_.name))
                .expected("a file")
                .hint("create it, or remove the entry");
            return std::nullopt;
        }
        return std::move(*text);
    }

    void read_env(const Value& entry) {
        std::optional<std::string> text = contents(entry, entry.text());
        if (!text) {
            return;
        }
        const std::string path = repo::normal_path(repo::join_path(file_.dir, entry.text()));
        const SourceId source = context_.sources.add(path, std::move(*text));
        const EnvFile file = parse_env_file(context_.sources.text(source));
        if (file.bad_utf8) {
            context_.diagnostics
                .error("bad-utf8", context_.sources.pos(source, *file.bad_utf8),
                       "this line is not UTF-8")
                .expected("UTF-8 text")
                .hint("use \"files\" for binary data")
                .hide_text();
        }
        for (const EnvEntry& pair : file.entries) {
            add({std::string(pair.key), std::string(pair.value)},
                context_.sources.pos(source, pair.offset));
        }
    }

    void read_file(const Value& source) {
        const std::optional<KeyValue> parsed = parse_file_source(source.text());
        if (!parsed) {
            error("invalid-generator", source, "a file is not \"path\" or \"key=path\"")
                .found(fmt::format("\"{}\"", source.text()))
                .expected("key=path");
            return;
        }
        if (std::optional<std::string> text = contents(source, parsed->value)) {
            add({parsed->key, std::move(*text)}, source.pos());
        }
    }

    const BuildContext& context_;
    const Kustomization& file_;
    const Value& item_;
    GeneratorInput input_;
    std::map<std::string, Pos> places_;  // of the keys
};

// Reads the env file at `oauth.path`, if it exists.
void read_oauth_file(const BuildContext& context, OAuthEnvFile& oauth) {
    Result<std::string> text = context.tree.read(oauth.path);
    if (!text) {
        return;
    }
    const SourceId source = context.sources.add(oauth.path, std::move(*text));
    const EnvFile file = parse_env_file(context.sources.text(source));
    Result<std::string> example = context.tree.read(oauth.path + ".example");
    oauth.present = true;
    oauth.encrypted = is_encrypted(file);
    if (oauth.encrypted) {
        return;
    }
    lint_env_file(context.sources, source, file, example ? std::string_view(*example) : "",
                  context.diagnostics);
    for (const EnvEntry& entry : file.entries) {
        oauth.entries.emplace_back(entry.key, entry.value);
    }
}

}  // namespace

std::vector<const Value*> env_files(const Value& generator) {
    std::vector<const Value*> entries;
    for (const Value& entry : repo::list_of(generator, "envs")) {
        if (entry.is_string()) {
            entries.push_back(&entry);
        }
    }
    if (!repo::text_of(generator, "env").empty()) {
        entries.push_back(generator.find("env"));
    }
    return entries;
}

std::vector<ListedFile> generator_files(const Value& kustomization) {
    std::vector<ListedFile> files;
    for (const std::string_view field : {"configMapGenerator", "secretGenerator"}) {
        for (const Value& generator : repo::list_of(kustomization, field)) {
            for (const Value* env : env_files(generator)) {
                files.push_back({env, env->text()});
            }
            for (const Value& entry : repo::list_of(generator, "files")) {
                const std::string_view source = text_of(entry);
                files.push_back({&entry, source.substr(source.find('=') + 1)});
            }
        }
    }
    return files;
}

std::optional<GeneratorInput> read_generator(const BuildContext& context, const Kustomization& file,
                                             const Value& item, bool is_secret) {
    return GeneratorReader(context, file, item, is_secret).read();
}

void take_oauth(const BuildContext& context, const Kustomization& file, const Value& item) {
    const std::vector<const Value*> entries = env_files(item);
    if (entries.empty()) {
        if (const Value* literals = item.find("literals")) {
            context.diagnostics
                .warning("suspicious-env-file", literals->pos(),
                         fmt::format("the literals of the generator \"{}\" are not used",
                                     repo::kOAuthGenerator))
                .expected("\"envs\" with a file that has client_id and client_secret")
                .hint("move the credential into that file, and keep the file out of Git")
                .hide_text();
        }
        return;
    }
    OAuthEnvFile oauth;
    oauth.pos = entries.front()->pos();
    oauth.path = repo::normal_path(repo::join_path(file.dir, entries.front()->text()));
    read_oauth_file(context, oauth);
    std::optional<OAuthEnvFile>& known = context.selection.oauth_env;
    if (known && known->present && oauth.present && known->path != oauth.path) {
        context.diagnostics
            .error(
                "two-oauth-files", oauth.pos,
                fmt::format("two generators named \"{}\" have an env file", repo::kOAuthGenerator))
            .found(fmt::format("\"{}\" and \"{}\"", known->path, oauth.path))
            .hint("keep the one of this cluster")
            .note({.pos = known->pos, .text = "the other one is here"});
    } else if (!known || (oauth.present && !known->present)) {
        known = std::move(oauth);
    }
}

}  // namespace renderer::engines
