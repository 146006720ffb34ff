#include "renderer/engines/kustomize/kustomization.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/kustomize/generator_sources.h"
#include "renderer/engines/kustomize/left_out.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

// One run of `kustomize build`.
class BuildRun {
public:
    BuildRun(const BuildContext& context, const BuildRequest& request)
        : context_(context), request_(request), out_(context.selection) {}

    std::vector<std::string> run() {
        build_ = static_cast<std::uint32_t>(out_.builds.size());
        out_.builds.push_back({.dir = request_.dir});
        if (const Kustomization* root = context_.reader.find(request_.dir)) {
            visit(*root, request_.rule);
        }
        return std::move(visited_);
    }

private:
    // The outermost kustomization that sets a namespace wins: its transformer runs last.
    void visit(const Kustomization& file, NamespaceRule rule) {
        visited_.push_back(file.dir);
        for (const Diagnostic& fault : file.faults.all()) {
            context_.diagnostics.add(fault);
        }
        if (!file.usable()) {
            return;
        }
        const Value* ns = file.root.find("namespace");
        if (rule.overwrite.empty() && ns != nullptr && ns->is_string()) {
            rule.overwrite = ns->text();
        }
        open_.push_back(file.dir);
        for (const std::string_view field : {"resources", "bases"}) {
            for (const Value& entry : repo::list_of(file.root, field)) {
                add_entry(file, entry, rule);
            }
        }
        for (const std::string_view field : {"configMapGenerator", "secretGenerator"}) {
            for (const Value& item : repo::list_of(file.root, field)) {
                add_generated(file, item, field == "secretGenerator", rule);
            }
        }
        open_.pop_back();
    }

    void refuse(const Value& entry, std::string_view rule, std::string message,
                std::string_view expected, std::string_view hint) {
        context_.diagnostics.error(rule, entry.pos(), std::move(message))
            .expected(expected)
            .hint(hint);
    }

    void add_entry(const Kustomization& file, const Value& entry, const NamespaceRule& rule) {
        const std::string path = repo::normal_path(repo::join_path(file.dir, entry.text()));
        const repo::EntryKind kind =
            is_remote_resource(entry.text()) || entry.text().starts_with('/')
                ? repo::EntryKind::Missing
                : context_.tree.kind(path);
        if (context_.reader.is_rendered(path)) {
            return;
        }
        if (is_remote_resource(entry.text())) {
            refuse(entry, "remote-resource",
                   fmt::format("\"{}\" is a remote resource", entry.text()),
                   "a file or directory of this repository",
                   fmt::format("copy it into this repository, name a copy with {}, or: "
                               "kustomize build {} | tailrender post-render",
                               source_flag(entry.text()), shell_word(request_.dir)));
        } else if (kind == repo::EntryKind::File) {
            add_file(file, entry, path, rule);
        } else if (kind == repo::EntryKind::Directory) {
            add_directory(entry, path, rule);
        } else if (is_kept_secret(context_.tree, path)) {
            refuse(entry, "missing-secret", fmt::format("\"{}\" is not in the tree", entry.text()),
                   "the file, or the user's kustomize and --only generated",
                   "encrypt it, or list an ExternalSecret in its place");
        } else {
            refuse(entry, "missing-resource",
                   fmt::format("file or directory \"{}\" not found", entry.text()),
                   fmt::format("a path relative to {}", file.path),
                   "fix the path, or remove the entry");
        }
    }

    void add_file(const Kustomization& file, const Value& entry, const std::string& path,
                  const NamespaceRule& rule) {
        if (!context_.may_load(path, file.dir) && !context_.reader.is_local_copy(path)) {
            refuse(entry, "outside-kustomization",
                   fmt::format("\"{}\" is not in or below the kustomization's directory",
                               entry.text()),
                   "kustomize only reads files in or below its directory",
                   "move the file, or give its directory a kustomization.yaml and list that");
            return;
        }
        if (const auto twin = files_.find(path); twin != files_.end()) {
            context_.diagnostics
                .error("listed-twice", entry.pos(),
                       fmt::format("\"{}\" is part of this build twice", path))
                .hint("remove one of the two")
                .note({.pos = twin->second, .text = "also listed here"});
            return;
        }
        files_[path] = entry.pos();
        out_.files.push_back({.path = path,
                              .bundle_path = path_in_bundle(path),
                              .bundle = request_.bundle,
                              .rule = out_.add_rule(rule),
                              .build = build_,
                              .pos = entry.pos(),
                              .required = true});
    }

    // A base may be above the directory that is rendered; its files must not leave the output.
    std::string path_in_bundle(const std::string& path) const {
        std::string relative = repo::relative_path(path, request_.bundle_dir);
        std::string above;
        while (relative.starts_with("../")) {
            relative.erase(0, 3);
            above += "_up/";
        }
        return above + relative;
    }

    void add_directory(const Value& entry, const std::string& dir, const NamespaceRule& rule) {
        const auto is_in_entry = [&](const std::string& open) {
            return repo::is_within(open, dir);
        };
        if (std::ranges::any_of(open_, is_in_entry)) {
            refuse(entry, "kustomization-cycle",
                   fmt::format("\"{}\" contains this kustomization", entry.text()),
                   "bases that do not include this one", "remove the entry");
            return;
        }
        if (!request_.boundary.empty() && !repo::is_within(dir, request_.boundary)) {
            refuse(entry, "outside-bundle",
                   fmt::format("\"{}\" is outside the bundle", entry.text()),
                   fmt::format("a directory below {}", request_.boundary),
                   "Fleet only reads the bundle's own directory; move the base into it");
            return;
        }
        const Kustomization* base = context_.reader.find(dir);
        if (base == nullptr) {
            refuse(entry, "missing-resource",
                   fmt::format("the directory \"{}\" has no kustomization", entry.text()),
                   "a kustomization.yaml in it", "add one, or list the files");
            return;
        }
        visit(*base, rule);
    }

    void add_generated(const Kustomization& file, const Value& item, bool is_secret,
                       const NamespaceRule& rule) {
        if (is_secret && repo::text_of(item, "name") == repo::kOAuthGenerator) {
            take_oauth(context_, file, item);
            return;
        }
        const std::string_view meant =
            is_secret ? meant_name(repo::text_of(item, "name"), {repo::kOAuthGenerator}) : "";
        if (!meant.empty()) {
            context_.diagnostics
                .warning("suspicious-env-file", item.find("name")->pos(),
                         "the name of this Secret is almost that of the OAuth client's")
                .found(fmt::format("\"{}\"", repo::text_of(item, "name")))
                .expected(fmt::format("\"{}\"", meant))
                .hint(did_you_mean(meant));
        }
        std::optional<GeneratorInput> input = read_generator(context_, file, item, is_secret);
        if (!input) {
            return;
        }
        const std::string name = input->name;
        if (!rule.overwrite.empty()) {
            input->ns = rule.overwrite;
        }
        const std::string build_ns = input->ns;
        if (!rule.forced.empty() || input->ns.empty()) {
            input->ns = rule.forced.empty() ? rule.fallback : rule.forced;
        }
        Object object{.root = make_generated(*input),
                      .origin = {.pos = item.pos(),
                                 .parent = {},
                                 .rule = is_secret ? "kustomization: secretGenerator"
                                                   : "kustomization: configMapGenerator"},
                      .bundle = request_.bundle,
                      .generator = is_secret ? "secret-generator" : "config-map-generator"};
        if (is_known(object, item)) {
            return;
        }
        out_.builds[build_].generated.push_back({.kind = std::string(object.kind()),
                                                 .ns = build_ns,
                                                 .name = name,
                                                 .hashed = std::string(object.name())});
        out_.generated.push_back(std::move(object));
    }

    // Reports a second generator of the same kind, namespace and name. True: there is one.
    bool is_known(const Object& object, const Value& item) {
        const std::string_view name = repo::text_of(item, "name");
        const auto [twin, is_new] = generated_.try_emplace(
            fmt::format("{}/{}/{}", object.kind(), object.ns(), name), item.pos());
        if (is_new) {
            return false;
        }
        context_.diagnostics
            .error("generated-twice", item.pos(), "two generators create this object")
            .object(object_name(object.kind(), object.ns(), name))
            .hint("merge them, or rename one")
            .note({.pos = twin->second, .text = "the first generator is here"});
        return true;
    }

    const BuildContext& context_;
    const BuildRequest& request_;
    Selection& out_;
    std::uint32_t build_ = 0;
    std::vector<std::string> visited_, open_;
    std::map<std::string, Pos> files_, generated_;
};

}  // namespace

std::string source_flag(std::string_view entry) {
    const std::string shown = secrets::without_url_credentials(entry);
    return fmt::format("--source {}={}", shell_word(shown),
                       repo::is_manifest_name(shown) ? "FILE" : "DIR");
}

bool is_remote_resource(std::string_view entry) {
    const std::string host = lower_case(entry.substr(0, entry.find_first_of("/:")));
    const std::size_t colon = entry.substr(0, entry.find('/')).find(':');
    const bool has_user = entry.substr(0, colon).find('@') != std::string_view::npos;
    return entry.find("://") != std::string_view::npos || entry.starts_with("git::") ||
           (colon != std::string_view::npos && has_user) ||
           (host == "github.com" && host.size() < entry.size()) ||
           entry.find("?ref=") != std::string_view::npos;
}

bool BuildContext::may_load(const std::string& path, const std::string& dir) const {
    return repo::is_within(tree.real_path(path),
                           tree.real_path(files_root.empty() ? dir : files_root));
}

std::vector<std::string> run_build(const BuildContext& context, const BuildRequest& request) {
    return BuildRun(context, request).run();
}

void find_oauth(const BuildContext& context, const Kustomization& kustomization) {
    for (const Value& item : repo::list_of(kustomization.root, "secretGenerator")) {
        if (item.is_map() && repo::text_of(item, "name") == repo::kOAuthGenerator) {
            take_oauth(context, kustomization, item);
        }
    }
}

}  // namespace renderer::engines
