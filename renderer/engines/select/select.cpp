#include "renderer/engines/select/select.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/printable.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engines.h"
#include "renderer/engines/fleet/cluster_match.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/select/other_clusters.h"
#include "renderer/engines/select/unread_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

Bundle plain_bundle(const std::string& default_namespace) {
    Bundle bundle;
    bundle.default_namespace = default_namespace;
    return bundle;
}

class Selector {
public:
    Selector(const SelectContext& context, const std::vector<repo::WalkedDir>& dirs)
        : context_(context), dirs_(dirs) {}

    void run() {
        check_globs();
        DirList all;
        for (const repo::WalkedDir& dir : dirs_) {
            all.push_back(&dir);
        }
        if (const LocalSources* local = context_.build.reader.local().get()) {
            for (const repo::WalkedDir& dir : local->outside()) {
                all.push_back(&dir);
            }
        }
        check_named_dirs(context_.build.tree, all, context_.root, context_.options,
                         context_.cluster, context_.build.diagnostics);
        group();
        std::vector<Bundle>& bundles = context_.build.selection.bundles;
        if (has_plain_) {
            bundles.push_back(plain_bundle(context_.options.default_namespace));
            select_plain(context_, plain_, 0);
        }
        for (const auto& [root, dirs] : bundles_) {
            if (!context_.options.only_generated) {
                add_fleet(*root, dirs);
            } else if (mention_tailscale(*root, dirs)) {
                refuse_additive(*root);
                break;
            }
        }
        if (bundles.empty()) {
            bundles.push_back(plain_bundle(context_.options.default_namespace));
        }
        find_unread_files(context_.build.tree, context_.root, dirs_,
                          unit_choice(all, context_.root, context_.options, context_.cluster),
                          context_.build.selection);
    }

private:
    [[nodiscard]] bool is_selected(std::string_view relative) const {
        const std::vector<BundleGlob>& globs = context_.cluster.bundles;
        return globs.empty() || std::ranges::any_of(globs, [&](const BundleGlob& glob) {
                   return matches_pattern(glob.pattern, relative);
               });
    }

    void check_globs() const {
        for (const BundleGlob& glob : context_.cluster.bundles) {
            const bool used = std::ranges::any_of(dirs_, [&](const repo::WalkedDir& dir) {
                return matches_pattern(glob.pattern, dir.relative);
            });
            if (!used) {
                context_.build.diagnostics
                    .error("unknown-bundle", glob.pos,
                           fmt::format("no directory matches \"{}\"", glob.pattern))
                    .expected("the path of a bundle's directory, or a glob of such paths")
                    .hint("paths are relative to the directory of .tailrender.yaml");
            }
        }
    }

    // Puts every directory into the bundle of the nearest directory above it that has a fleet.yaml.
    void group() {
        const std::vector<const repo::WalkedDir*> roots = bundle_roots(dirs_);
        for (std::size_t i = 0; i < dirs_.size(); ++i) {
            const repo::WalkedDir& dir = dirs_[i];
            const repo::WalkedDir* mine = roots[i];
            const bool is_root = mine == &dir;
            has_fleet_ = has_fleet_ || is_root;
            if (!is_selected(mine == nullptr ? dir.relative : mine->relative)) {
                continue;
            }
            if (mine == nullptr) {
                plain_.push_back(&dir);
            } else if (is_root) {
                bundles_.push_back({mine, {mine}});
            } else {
                std::ranges::find(bundles_, mine, &Group::root)->dirs.push_back(&dir);
            }
        }
        const auto holds_manifests = [](const repo::WalkedDir* dir) {
            return !dir->in_chart && std::ranges::any_of(dir->files, repo::is_manifest_name);
        };
        has_plain_ = !has_fleet_ || std::ranges::any_of(plain_, holds_manifests);
    }

    // True if a file of the bundle mentions Tailscale, or if the bundle has a path outside of its
    // directory, which may hold a chart.
    [[nodiscard]] bool mention_tailscale(const repo::WalkedDir& root, const DirList& dirs) const {
        const Result<std::string> fleet =
            context_.build.tree.read(repo::join_path(root.path, root.fleet_files.front()));
        const bool leaves = !fleet || fleet->find("../") != std::string::npos;
        return leaves || std::ranges::any_of(dirs, [&](const repo::WalkedDir* dir) {
                   return repo::mentions_tailscale(context_.build.tree, *dir);
               });
    }

    void refuse_additive(const repo::WalkedDir& root) const {
        context_.build.diagnostics
            .error("not-supported", {}, "--only generated is not for Fleet bundles")
            .where(repo::join_path(root.path, root.fleet_files.front()))
            .hint("render the bundles whole, into a directory for Fleet");
    }

    // True if the bundle's files, or files that they refer to, may have inputs. Objects that only
    // the operator's settings make inputs are looked for in left-alone files later, once settings
    // are known.
    [[nodiscard]] bool may_hold_inputs(const DirList& dirs) const {
        const BuildContext& build = context_.build;
        const std::string& root = dirs.front()->path;
        return mention_tailscale(*dirs.front(), dirs) ||
               std::ranges::any_of(dirs, [&](const repo::WalkedDir* dir) {
                   const Kustomization* file =
                       dir->kustomizations.empty() ? nullptr : build.reader.find(dir->path);
                   if (file == nullptr) {
                       return false;
                   }
                   const BuildFiles read =
                       find_build_files(build.tree, build.reader, root, dir->path);
                   return fetches(file->root) || read.leaves_root || read.mentions_tailscale;
               });
    }

    // True if a string in a kustomization is a remote address. Inline patches have several lines.
    static bool fetches(const Value& value) {
        const std::string_view text = text_of(&value);
        return (text.find('\n') == std::string_view::npos && is_remote_resource(text)) ||
               std::ranges::any_of(items_of(&value), fetches) ||
               std::ranges::any_of(members_of(&value),
                                   [](const Member& member) { return fetches(member.value); });
    }

    // Reads the fleet.yaml. If the bundle has no inputs, it does not matter which customization
    // applies, so a cluster that is not known is not an error.
    FleetFile read_bundle(const std::string& path, const DirList& dirs) const {
        const BuildContext& build = context_.build;
        Diagnostics found;
        FleetFile fleet = read_fleet(build.tree, path, context_.cluster, build.sources, found);
        const auto is_open = [](const Diagnostic& one) { return one.rule == kUnknownCluster; };
        const bool only_open = std::ranges::all_of(found.all(), [&](const Diagnostic& one) {
            return one.severity == Severity::Warning || is_open(one);
        });
        if (!found.has_errors() || !only_open || may_hold_inputs(dirs)) {
            build.diagnostics.append(std::move(found));
            return fleet;
        }
        for (const Diagnostic& one : found.all()) {
            if (!is_open(one)) {
                build.diagnostics.add(one);
            }
        }
        fleet.usable = true;
        fleet.deployed = true;
        fleet.is_left_alone = true;
        return fleet;
    }

    void add_fleet(const repo::WalkedDir& root, const DirList& dirs) const {
        const BuildContext& build = context_.build;
        const std::string path = repo::join_path(root.path, root.fleet_files.front());
        if (root.fleet_files.size() > 1) {
            build.diagnostics
                .error("two-fleet-files", {}, "this directory has fleet.yaml and fleet.yml")
                .where(repo::join_path(root.path, root.fleet_files.back()))
                .expected("one of them")
                .hint("keep fleet.yaml");
        }
        const FleetFile fleet = read_bundle(path, dirs);
        if (fleet.usable && fleet.deployed) {
            add_chart_files(
                dirs, [](const std::string&, bool) { return true; }, build.selection);
            select_fleet(context_, fleet, dirs);
        }
    }

    struct Group {
        const repo::WalkedDir* root;
        DirList dirs;
    };

    const SelectContext& context_;
    const std::vector<repo::WalkedDir>& dirs_;
    std::vector<Group> bundles_;
    DirList plain_;
    bool has_fleet_ = false;
    bool has_plain_ = false;
};

void select_file(const std::string& root, const std::string& ns, Selection& selection) {
    selection.bundles.push_back(plain_bundle(ns));
    selection.files.push_back({.path = root,
                               .bundle_path = std::string(repo::base_name(root)),
                               .rule = selection.add_rule({.fallback = ns}),
                               .required = true});
}

}  // namespace

Selection select_inputs(const repo::SourceTree& tree, const std::string& root,
                        const repo::LoadOptions& options, const Cluster& cluster,
                        const std::shared_ptr<const LocalSources>& local, SourceMap& sources,
                        Diagnostics& diagnostics) {
    Selection selection;
    const repo::EntryKind kind = tree.kind(root);
    if (kind == repo::EntryKind::File) {
        select_file(root, options.default_namespace, selection);
        return selection;
    }
    if (kind != repo::EntryKind::Directory) {
        // Also the form of scp, git@HOST:PATH, as Git takes it.
        const bool is_url =
            options.path.find("://") != std::string::npos ||
            (options.path.starts_with("git@") && options.path.find(':') != std::string::npos);
        diagnostics
            .error("missing-path", {}, is_url ? "a URL is not read" : "no such file or directory")
            .where(is_url ? options.path : root)
            .expected("a directory with manifests, or a manifest")
            .hint(is_url ? "clone the repository first: git clone " + shell_word(options.path)
                         : "correct the path; it is relative to the current directory");
        selection.bundles.emplace_back();
        return selection;
    }
    const OtherClusters others(cluster, root, options);
    const std::vector<repo::WalkedDir> dirs = repo::walk_tree(
        tree, root, options.output_dir, diagnostics,
        [&](const std::string& dir) { return others.have(dir); },
        hidden_includes(tree, root, options, cluster));
    KustomizationReader reader(tree, sources, options.output_dir, local);
    const SelectContext context{.build = {tree, sources, reader, selection, diagnostics},
                                .root = root,
                                .options = options,
                                .cluster = cluster};
    Selector(context, dirs).run();
    return selection;
}

}  // namespace renderer::engines
