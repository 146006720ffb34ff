#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/manifest_files.h"
#include "renderer/engines/select/select_build.h"
#include "renderer/engines/select/unlisted_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class PlainSelection {
public:
    PlainSelection(const SelectContext& context, const DirList& dirs, std::uint32_t bundle,
                   const UnitChoice& choice)
        : context_(context),
          out_(context.build.selection),
          dirs_(dirs),
          charts_(chart_dirs(dirs)),
          bundle_(bundle),
          builds_(context, dirs, bundle),
          unlisted_(context, dirs),
          choice_(choice) {}

    void run() {
        const std::size_t first = out_.files.size();
        run_builds();
        index_listed(first);
        for (const repo::WalkedDir* dir : dirs_) {
            add_files(*dir);
        }
        std::ranges::move(builds_.added, std::back_inserter(out_.files));
    }

    // In a complete tree, ignored directories only have no warnings: an engine may apply them.
    [[nodiscard]] bool leaves_out(const std::string& path) const {
        return context_.options.only_generated && choice_.ignores_below(path);
    }

private:
    // People build the kustomizations that no other kustomization refers to. Those that are not
    // reached from these are in a cycle; building one reports it.
    void run_builds() {
        std::set<std::string> referenced;
        for (const repo::WalkedDir* dir : dirs_) {
            if (const Kustomization* file = kustomization_of(*dir)) {
                for (std::string& target : context_.build.reader.directories(*file)) {
                    if (target != dir->path) {
                        referenced.insert(std::move(target));
                    }
                }
            }
        }
        std::set<std::string> visited;
        for (const bool roots : {true, false}) {
            for (const repo::WalkedDir* dir : dirs_) {
                const bool wanted =
                    roots ? !referenced.contains(dir->path) : !visited.contains(dir->path);
                const Kustomization* file =
                    wanted && !leaves_out(dir->path) ? kustomization_of(*dir) : nullptr;
                if (file != nullptr && (dir->relative.empty() || !is_component(*file))) {
                    for (std::string& seen : builds_.run({.tree = context_.build.tree,
                                             .reader = context_.build.reader,
                                             .dir = *dir,
                                             .rule = rule()})) {
                        visited.insert(std::move(seen));
                    }
                }
            }
        }
    }

    const Kustomization* kustomization_of(const repo::WalkedDir& dir) {
        const bool has = !dir.in_chart && !dir.kustomizations.empty();
        return has ? context_.build.reader.find(dir.path) : nullptr;
    }

    // Two builds apply a file twice. Nothing may be exposed twice by accident, so that is an error
    // for a file that mentions Tailscale.
    void index_listed(std::size_t first) {
        for (std::size_t i = first; i < out_.files.size(); ++i) {
            InputFile& file = out_.files[i];
            const std::vector<const InputFile*>& twins = listed_[file.path];
            if (!twins.empty()) {
                if (repo::file_mentions_tailscale(context_.build.tree, file.path)) {
                    refuse_twin(*twins.front(), file);
                } else {
                    give_path(twins, file);
                }
            }
            listed_[file.path].push_back(&file);
        }
    }

    void refuse_twin(const InputFile& twin, const InputFile& file) const {
        context_.build.diagnostics
            .error("listed-twice", file.pos,
                   fmt::format("\"{}\" is part of two kustomize builds", file.path))
            .found(fmt::format("builds of \"{}\" and \"{}\"", build_dir(twin), build_dir(file)))
            .hint(fmt::format("render one of them: tailrender render {}",
                              shell_word(build_dir(file))))
            .note({.pos = twin.pos, .text = "also listed here"});
    }

    // Gives the file a separate path in the output, unless both builds give it the same namespaces.
    void give_path(const std::vector<const InputFile*>& twins, InputFile& file) const {
        const auto same = std::ranges::find_if(twins, [&](const InputFile* twin) {
            return out_.rules[twin->rule] == out_.rules[file.rule];
        });
        file.bundle_path =
            same != twins.end()
                ? (*same)->bundle_path
                : repo::join_path(repo::relative_path(build_dir(file), context_.root),
                                  "_base/" + file.bundle_path);
    }

    const std::string& build_dir(const InputFile& file) const {
        return out_.builds[file.build].dir;
    }

    [[nodiscard]] NamespaceRule rule() const {
        return {.fallback = context_.options.default_namespace};
    }

    // Below a kustomization only the files that it lists are applied.
    bool is_covered(const repo::WalkedDir& dir) {
        const auto parent = covered_.find(repo::parent_path(dir.path));
        const bool above = parent != covered_.end() && parent->second;
        return covered_[dir.path] = above || !dir.kustomizations.empty();
    }

    [[nodiscard]] bool is_included(const repo::WalkedDir& dir) const {
        return std::ranges::any_of(choice_.includes, [&](const std::string& included) {
            return repo::is_within(dir.path, included);
        });
    }

    void add_files(const repo::WalkedDir& dir) {
        const bool below = is_covered(dir);
        const bool included = is_included(dir);
        for (const std::string& name : dir.files) {
            const std::string path = repo::join_path(dir.path, name);
            const bool manifest =
                repo::is_manifest_name(name) &&
                std::ranges::find(dir.kustomizations, name) == dir.kustomizations.end();
            if (!manifest || listed_.contains(path) || builds_.is_left_alone(path)) {
                continue;
            }
            const bool ignored = choice_.ignores_below(path);
            const bool is_beside_chart = dir.in_chart && !is_part_of_chart(charts_, path);
            if (dir.in_chart && !(included && is_beside_chart)) {
                if (is_beside_chart && !ignored && unlisted_.holds(path)) {
                    unlisted_.report_beside_chart(path);
                }
                ++out_.skipped_files;
                continue;
            }
            // A patch looks like an object, but is not an input.
            const bool covered =
                leaves_out(path) || (below && (!included || unlisted_.is_read(path)));
            const bool is_unlisted = covered && unlisted_.holds(path);
            if (is_unlisted && !ignored && !context_.build.diagnostics.has_errors()) {
                unlisted_.report(path);
            }
            builds_.added.push_back({.path = path,
                                     .bundle_path = repo::join_path(dir.relative, name),
                                     .bundle = bundle_,
                                     .rule = out_.add_rule(rule()),
                                     .reachable = !covered,
                                     .is_unlisted = is_unlisted,
                                     .lenient = covered});
        }
    }

    const SelectContext& context_;
    Selection& out_;
    const DirList& dirs_;
    const ChartDirs charts_;
    std::uint32_t bundle_;
    BuildSelection builds_;
    UnlistedInputs unlisted_;
    const UnitChoice& choice_;
    // Pointers into the selection's files.
    std::map<std::string, std::vector<const InputFile*>> listed_;
    std::map<std::string, bool> covered_;
};

}  // namespace

void select_plain(const SelectContext& context, const DirList& dirs, std::uint32_t bundle) {
    if (!context.options.only_generated || !select_units(context, dirs, bundle)) {
        const UnitChoice choice = unit_choice(dirs, context.root, context.options, context.cluster);
        PlainSelection selection(context, dirs, bundle, choice);
        add_chart_files(
            dirs, [&](const std::string& path, bool) { return !selection.leaves_out(path); },
            context.build.selection);
        selection.run();
    }
}

}  // namespace renderer::engines
