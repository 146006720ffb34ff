// Finds what applies each part of the repository: Fleet's GitRepo, Argo CD's Application, Flux's
// Kustomization. A source and the tree rendered from it must not both be applied to a cluster, and
// no object may be in two bundles.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/kube/group_of.h"
#include "renderer/lint/families.h"
#include "renderer/lint/flux_patches.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"

namespace renderer::lint {

namespace {

// A path that an applier deploys, relative to the top of the repository; may be a glob.
struct Selector {
    const RepositoryDocument* applier = nullptr;
    std::string pattern;
    Pos pos;
};

void add_selector(const RepositoryDocument& applier, const Value* path,
                  std::vector<Selector>& selectors) {
    selectors.push_back(
        {&applier, path_in_repository(text_of(path)), path == nullptr ? applier.pos : path->pos()});
}

void add_git_repo(const RepositoryDocument& document, std::vector<Selector>& selectors) {
    const auto paths = items_of(document.root.at({"spec", "paths"}));
    const auto bundles = items_of(document.root.at({"spec", "bundles"}));
    for (const Value& path : paths) {
        add_selector(document, &path, selectors);
    }
    for (const Value& bundle : bundles) {
        add_selector(document, bundle.find("base"), selectors);
    }
    if (paths.empty() && bundles.empty() && repo::map_of(document.root, "spec") != nullptr) {
        add_selector(document, nullptr, selectors);
    }
}

void add_application(const RepositoryDocument& document, std::vector<Selector>& selectors) {
    if (const Value* path = document.root.at({"spec", "source", "path"})) {
        add_selector(document, path, selectors);
    }
    for (const Value& source : items_of(document.root.at({"spec", "sources"}))) {
        if (const Value* path = source.find("path")) {
            add_selector(document, path, selectors);
        }
    }
}

std::vector<Selector> find_selectors(const Repository& repository) {
    std::vector<Selector> selectors;
    for (const RepositoryDocument& document : repository.documents) {
        if (document.is("fleet.cattle.io", "GitRepo")) {
            add_git_repo(document, selectors);
        } else if (document.is("argoproj.io", "Application")) {
            add_application(document, selectors);
        } else if (applies_from_git(document)) {
            add_selector(document, document.root.at({"spec", "path"}), selectors);
        }
    }
    return selectors;
}

// True if the pattern matches the directory or one above it. The tree may or may not be the top of
// the repository, so paths are tried from both.
bool selects(const std::string& pattern, const std::string& dir, const std::string& prefix) {
    if (pattern == ".") {
        return true;
    }
    for (const std::string& start : {dir, repo::join_path(prefix, dir)}) {
        for (std::string part = start; !part.empty() && part != ".";
             part = repo::parent_path(part)) {
            if (repo::matches_glob(pattern, part)) {
                return true;
            }
        }
    }
    return false;
}

class TwoTrees {
public:
    explicit TwoTrees(const LintContext& context)
        : context_(context), selectors_(find_selectors(context.repository)) {}

    void run() const {
        std::vector<std::string> rendered = context_.repository.rendered;
        const std::string output = output_dir();
        if (!output.empty()) {
            rendered.push_back(output);
        }
        for (const std::string& dir : rendered) {
            if (is_additive(dir)) {
                continue;
            }
            for (const Selector& selector : selectors_) {
                if (chosen(selector, dir)) {
                    check(selector, dir);
                }
            }
        }
    }

private:
    // Returns the directory of -o relative to the root; "" if it is elsewhere.
    [[nodiscard]] std::string output_dir() const {
        const std::string& dir = context_.input.options.output_dir;
        if (dir.empty()) {
            return "";
        }
        const repo::SourceTree& tree = context_.repository.tree;
        const std::string real = tree.real_path(dir);
        const std::string root = tree.real_path(context_.repository.root);
        return real != root && repo::is_within(real, root) ? repo::relative_path(real, root) : "";
    }

    // True for a tree that is applied beside its sources: it contains none of their files.
    [[nodiscard]] bool is_additive(const std::string& dir) const {
        const std::string path =
            repo::join_path(repo::join_path(context_.repository.root, dir), repo::kInventoryFile);
        const Result<std::string> inventory = context_.repository.tree.read(path);
        if (context_.input.options.only_generated || !inventory) {
            return context_.input.options.only_generated;
        }
        const Result<repo::TreeInventory> listed = repo::read_inventory(path, *inventory);
        return listed &&
               std::ranges::none_of(context_.loaded.files, [&](const load::SourceFile& file) {
                   const std::string& bundle = context_.loaded.bundles[file.bundle].dir;
                   return file.reachable && std::ranges::binary_search(
                                                listed->files, repo::join_path(bundle, file.path));
               });
    }

    [[nodiscard]] bool chosen(const Selector& selector, const std::string& dir) const {
        return selects(selector.pattern, dir, context_.git.prefix());
    }

    // Reports the first source file that is rendered and also applied as it is.
    void check(const Selector& of_rendered, const std::string& dir) const {
        for (const Selector& selector : selectors_) {
            for (const load::SourceFile& file : context_.loaded.files) {
                const std::string& bundle = context_.loaded.bundles[file.bundle].dir;
                const std::string path = repo::join_path(bundle, file.path);
                if (file.reachable && chosen(selector, repo::parent_path(path))) {
                    report(of_rendered, selector, dir, path);
                    return;
                }
            }
        }
    }

    void report(const Selector& of_rendered, const Selector& of_source, const std::string& dir,
                const std::string& path) const {
        Finding found = context_.about(*of_source.applier)
                            .error("two-trees", of_source.pos,
                                   "the rendered tree and its source are both applied")
                            .found(fmt::format("\"{}\" and the rendered \"{}\"", path, dir))
                            .expected(fmt::format("only \"{}\"", dir))
                            .hint("select only the rendered directory, not its sources");
        if (of_rendered.applier != of_source.applier) {
            found.note({.pos = of_rendered.pos,
                        .object = of_rendered.applier->object_name(),
                        .text = "applies the rendered tree"});
        }
    }

    const LintContext& context_;
    std::vector<Selector> selectors_;
};

// Fleet also makes a bundle of the root of a path if a file that ends in .yaml is in it outside of
// any bundle, even a hidden one, which it then leaves out (Fleet internal/cmd/cli/apply).
void check_root_bundle(const LintContext& context) {
    const Repository& repository = context.repository;
    const auto is_in_root = [](const repo::WalkedDir& dir) { return dir.relative.empty(); };
    const auto root = std::ranges::find_if(repository.dirs, is_in_root);
    const bool is_bundle = root == repository.dirs.end() || !root->fleet_files.empty() ||
                           std::ranges::any_of(root->files, repo::is_manifest_name);
    if (is_bundle || repository.bundles.empty() ||
        repository.tree.kind(repo::join_path(repository.root, engines::kConfigFile)) !=
            repo::EntryKind::File) {
        return;
    }
    for (const Selector& selector : find_selectors(repository)) {
        if (selector.applier->kind() == "GitRepo" && selector.pattern == ".") {
            context.about(*selector.applier)
                .warning(
                    "fleet-empty-bundle", selector.pos,
                    fmt::format(
                        "Fleet creates a bundle without objects for this directory, because of {}",
                        engines::kConfigFile))
                .expected("the bundles' directories in \"paths\"")
                .hint("deploy the rendered tree, whose directories have no such file");
        }
    }
}

// Each bundle is a release of its own: the second one fails on the first one's object or takes it
// over, and deleting either bundle deletes the object.
void check_owners(const LintContext& context) {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
    std::map<Key, const Document*> owners;
    std::set<std::size_t> ours;  // bundles that mention Tailscale
    for (const Document& document : context.loaded.documents) {
        if (document.mentions_tailscale) {
            ours.insert(document.bundle);
        }
    }
    for (const Document& document : context.loaded.documents) {
        const std::string_view kind = text_of(document.kind);
        const std::string_view name = text_of(document.name);
        if (!document.reachable || name.empty()) {
            continue;
        }
        const Key key{group_of(text_of(document.api_version)), kind, document.effective_namespace,
                      name};
        const auto [first, is_new] = owners.emplace(key, &document);
        if (is_new || first->second->bundle == document.bundle ||
            !(ours.contains(first->second->bundle) || ours.contains(document.bundle))) {
            continue;
        }
        const auto name_of = [&](const Document& one) {
            return context.loaded.bundles[one.bundle].name;
        };
        about(document, context.diagnostics)
            .error("object-in-two-bundles", document.kind.pos(),
                   fmt::format("this object is in the bundles \"{}\" and \"{}\"",
                               name_of(*first->second), name_of(document)))
            .expected("each object in one bundle")
            .hint("remove it from one of the two")
            .note({.pos = first->second->kind.pos(), .text = "also here"});
    }
}

}  // namespace

void check_appliers(const LintContext& context) {
    TwoTrees(context).run();
    check_root_bundle(context);
    check_owners(context);
}

}  // namespace renderer::lint
