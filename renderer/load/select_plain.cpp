#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "renderer/load/kustomize/build_files.h"
#include "renderer/load/kustomize/kustomize_program.h"
#include "renderer/load/roots/appliers.h"
#include "renderer/load/select.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

class PlainSelection {
public:
    PlainSelection(const SelectContext& context, const DirList& dirs, std::uint32_t bundle)
        : context_(context), out_(context.build.selection), dirs_(dirs), bundle_(bundle) {
        if (context.options.only_generated) {
            appliers_ = Appliers(context.build.tree, dirs, context.root, context.build.sources,
                                 context.options.threads);
        }
    }

    void run() {
        const std::size_t first = out_.files.size();
        run_builds();
        index_listed(first);
        for (const WalkedDir* dir : dirs_) {
            add_files(*dir);
        }
        std::ranges::move(added_, std::back_inserter(out_.files));
    }

private:
    // Kustomizations that no other one names are what people build. What is left after these is a
    // cycle: running it says so.
    void run_builds() {
        std::set<std::string> referenced;
        for (const WalkedDir* dir : dirs_) {
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
            for (const WalkedDir* dir : dirs_) {
                const bool wanted =
                    roots ? !referenced.contains(dir->path) : !visited.contains(dir->path);
                const Kustomization* file = wanted ? kustomization_of(*dir) : nullptr;
                if (file != nullptr && (dir->relative.empty() || !is_component(*file))) {
                    for (std::string& seen : build(*dir)) {
                        visited.insert(std::move(seen));
                    }
                }
            }
        }
    }

    // The directories whose kustomizations took part.
    std::vector<std::string> build(const WalkedDir& dir) {
        const std::size_t files = out_.files.size();
        const std::size_t generated = out_.generated.size();
        Diagnostics found;
        const BuildContext& shared = context_.build;
        std::vector<std::string> visited = run_build(
            {shared.tree, shared.sources, shared.reader, out_, found}, {.dir = dir.path,
                                                                        .boundary = {},
                                                                        .bundle_dir = context_.root,
                                                                        .bundle = bundle_,
                                                                        .rule = rule_of(dir)});
        const std::shared_ptr<const UnitVariables> variables = variables_of(dir);
        for (std::size_t i = files; i < out_.files.size(); ++i) {
            out_.files[i].variables = variables;
        }
        if (found.has_errors()) {
            const BuildFiles read =
                find_build_files(shared.tree, shared.reader, context_.root, dir.path);
            const bool stays = may_stay(dir, read, found);
            if (stays || (needs_kustomize(found) && build_by_kustomize(dir, read))) {
                out_.files.resize(files);
                out_.generated.resize(generated);
                if (stays) {
                    leave_alone(dir, read, found);
                }
                std::ranges::transform(read.paths, std::back_inserter(visited), parent_path);
                return visited;
            }
        }
        shared.diagnostics.append(std::move(found));
        return visited;
    }

    // Every error is of something that kustomize does and tailrender does not.
    static bool needs_kustomize(const Diagnostics& found) {
        return std::ranges::all_of(found.all(), [](const Diagnostic& diagnostic) {
            return diagnostic.severity != Severity::Error || diagnostic.rule == "not-supported" ||
                   diagnostic.rule == "remote-resource";
        });
    }

    // Nothing of ours is in it, and the output has a place for it. A mistake may hide what it
    // meant to name.
    [[nodiscard]] bool may_stay(const WalkedDir& dir, const BuildFiles& read,
                                const Diagnostics& found) const {
        const bool has_place = context_.options.only_generated ||
                               (!context_.options.one_stream && !dir.relative.empty());
        return has_place && !read.mentions_tailscale && !read.leaves_root &&
               (needs_kustomize(found) || !mentioned_below(dir));
    }

    [[nodiscard]] bool mentioned_below(const WalkedDir& top) const {
        return std::ranges::any_of(dirs_, [&](const WalkedDir* dir) {
            return is_within(dir->path, top.path) && mentions_tailscale(context_.build.tree, *dir);
        });
    }

    // False: there is no program, or it cannot be given all that it needs.
    bool build_by_kustomize(const WalkedDir& dir, const BuildFiles& read) {
        if (context_.options.kustomize == kNoProgram || read.leaves_root) {
            return false;
        }
        if (!program_) {
            program_ = kustomize_at(context_.options.kustomize);
        }
        const BuildContext& shared = context_.build;
        Result<KustomizeBuild> made =
            run_kustomize(*program_, shared.tree, shared.reader, read, context_.root, dir.path);
        if (!made) {
            shared.diagnostics.add(std::move(made.error().diagnostic));
            return true;
        }
        if (!made->left_out.empty() && !context_.options.only_generated) {
            return false;  // a complete tree would lose it
        }
        for (const LeftOut& what : made->left_out) {
            warn_left_out(what);
        }
        left_alone_.insert(read.paths.begin(), read.paths.end());
        const std::string name = dir.relative.empty() ? "." : dir.relative;
        out_.kustomize_version = program_->version;
        added_.push_back({.path = fmt::format("kustomize build {}", name),
                          .bundle_path = join_path(dir.relative, "kustomize-build.yaml"),
                          .text = std::move(made->stream),
                          .bundle = bundle_,
                          .rule = out_.add_rule(rule_of(dir)),
                          .variables = variables_of(dir)});
        return true;
    }

    void warn_left_out(const LeftOut& what) {
        context_.build.diagnostics
            .warning("not-built", what.pos, "this part of the kustomization is not built")
            .found(what.what)
            .expected(what.is_chart ? "no chart that exposes anything to the tailnet"
                                    : "nothing of Tailscale in what is fetched")
            .hint(what.is_chart ? "helm template CHART | tailrender post-render renders a chart"
                                : "copy it into this repository if there is");
    }

    // The values of a chart are among the files that were searched.
    void warn_unread(const std::string& path) {
        const BuildContext& shared = context_.build;
        const Kustomization* file = shared.reader.find(parent_path(path));
        if (file != nullptr && file->path == path && file->root.is_map()) {
            for (const LeftOut& what : left_out_of(shared.tree, shared.reader, *file)) {
                if (!what.is_chart) {
                    warn_left_out(what);
                }
            }
        }
    }

    void warn_mistaken(const Diagnostics& found) const {
        const auto error = std::ranges::find(found.all(), Severity::Error, &Diagnostic::severity);
        context_.build.diagnostics
            .warning("not-built", error->pos, "this kustomization is left as it is")
            .where(error->where)
            .found(error->message)
            .expected("nothing of Tailscale in what it means")
            .hint(error->hint);
    }

    void leave_alone(const WalkedDir& dir, const BuildFiles& read, const Diagnostics& found) {
        out_.left_alone.push_back({bundle_, dir.relative});
        for (const std::string& path : read.paths) {
            warn_unread(path);
        }
        if (!needs_kustomize(found)) {
            warn_mistaken(found);
        }
        for (const std::string& path : read.paths) {
            if (left_alone_.insert(path).second) {
                added_.push_back({.path = path,
                                  .bundle_path = relative_path(path, context_.root),
                                  .bundle = bundle_,
                                  .rule = out_.add_rule(rule_of(dir)),
                                  .reachable = false,
                                  .copied_whole = true,
                                  .left_alone = true});
            }
        }
    }

    const Kustomization* kustomization_of(const WalkedDir& dir) {
        const bool has = !dir.in_chart && !dir.kustomizations.empty();
        return has ? context_.build.reader.find(dir.path) : nullptr;
    }

    // Two builds are two applications of a file; only what is exposed must not be so by accident.
    void index_listed(std::size_t first) {
        for (std::size_t i = first; i < out_.files.size(); ++i) {
            InputFile& file = out_.files[i];
            const std::vector<const InputFile*>& twins = listed_[file.path];
            if (!twins.empty()) {
                if (file_mentions_tailscale(context_.build.tree, file.path)) {
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
            .hint(fmt::format("render one of them: tailrender render {}", build_dir(file)))
            .note({.pos = twin.pos, .text = "also listed here"});
    }

    // In the output, where both have to be, unless they are the same.
    void give_path(const std::vector<const InputFile*>& twins, InputFile& file) const {
        const auto same = std::ranges::find_if(twins, [&](const InputFile* twin) {
            return out_.rules[twin->rule] == out_.rules[file.rule];
        });
        file.bundle_path = same != twins.end()
                               ? (*same)->bundle_path
                               : join_path(relative_path(build_dir(file), context_.root),
                                           "_base/" + file.bundle_path);
    }

    const std::string& build_dir(const InputFile& file) const {
        return out_.builds[file.build].dir;
    }

    // What Flux or Argo CD say of a directory is about all that it holds.
    [[nodiscard]] NamespaceRule rule_of(const WalkedDir& dir) const {
        NamespaceRule rule{.fallback = context_.options.default_namespace};
        if (const BuildUnit* unit = appliers_.of(dir)) {
            rule.overwrite = unit->target_namespace;
            rule.edits = false;  // whoever applies the source does that
            if (!unit->fallback_namespace.empty()) {
                rule.fallback = unit->fallback_namespace;
            }
        }
        return rule;
    }

    [[nodiscard]] std::shared_ptr<const UnitVariables> variables_of(const WalkedDir& dir) const {
        const BuildUnit* unit = appliers_.of(dir);
        return unit != nullptr && unit->variables
                   ? std::make_shared<const UnitVariables>(*unit->variables)
                   : nullptr;
    }

    // Below a kustomization only what it lists is applied, and what an applier names.
    bool is_covered(const WalkedDir& dir) {
        const auto parent = covered_.find(parent_path(dir.path));
        const bool above = parent != covered_.end() && parent->second;
        covered_[dir.path] = above || !dir.kustomizations.empty();
        return covered_[dir.path] && !is_applied(dir);
    }

    // By an object that is applied itself: loose, or part of a build.
    bool is_applied(const WalkedDir& dir) const {
        const BuildUnit* unit = dir.kustomizations.empty() ? appliers_.of(dir) : nullptr;
        return unit != nullptr && !unit->file.empty() &&
               (listed_.contains(unit->file) || left_alone_.contains(unit->file) ||
                appliers_.is_loose(unit->file));
    }

    void add_files(const WalkedDir& dir) {
        const bool covered = is_covered(dir);
        for (const std::string& name : dir.files) {
            const std::string path = join_path(dir.path, name);
            const bool manifest =
                is_manifest_name(name) &&
                std::ranges::find(dir.kustomizations, name) == dir.kustomizations.end();
            if (!manifest || listed_.contains(path) || left_alone_.contains(path)) {
                continue;
            }
            if (dir.in_chart) {
                ++out_.skipped_files;
                continue;
            }
            added_.push_back({.path = path,
                              .bundle_path = join_path(dir.relative, name),
                              .bundle = bundle_,
                              .rule = out_.add_rule(rule_of(dir)),
                              .variables = variables_of(dir),
                              .reachable = !covered,
                              .lenient = covered});
        }
    }

    const SelectContext& context_;
    Selection& out_;
    const DirList& dirs_;
    std::uint32_t bundle_;
    Appliers appliers_;
    std::map<std::string, std::vector<const InputFile*>> listed_;
    std::map<std::string, bool> covered_;
    std::set<std::string> left_alone_;         // files that kustomize reads, and no one else
    std::optional<KustomizeProgram> program_;  // asked once
    std::vector<InputFile> added_;             // apart, since listed_ points into the others
};

}  // namespace

void select_plain(const SelectContext& context, const DirList& dirs, std::uint32_t bundle) {
    PlainSelection(context, dirs, bundle).run();
}

}  // namespace renderer
