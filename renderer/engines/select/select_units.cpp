#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/engines/applied_units.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/cluster_choice.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/flux/unit_variables.h"
#include "renderer/engines/flux/unmet_dependencies.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/select/hidden_files.h"
#include "renderer/engines/select/select_build.h"
#include "renderer/engines/select/unit_refusals.h"
#include "renderer/engines/standing.h"
#include "renderer/engines/unit_build.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

class UnitSelection {
public:
    UnitSelection(const SelectContext& context, const DirList& dirs, std::uint32_t bundle)
        : context_(context),
          out_(context.build.selection),
          dirs_(dirs),
          bundle_(bundle),
          repository_(context.build.tree, dirs, context.root, context.build.sources,
                      context.options, context.build.reader.local()),
          builds_(context, dirs, bundle) {}

    bool run() {
        choice_ = unit_choice(dirs_, context_.root, context_.options, context_.cluster);
        units_ = applied_units(repository_, context_.build.reader, context_.build.sources,
                               context_.options, choice_.ignores, context_.build.diagnostics);
        if (!are_applied(units_) && !may_be_applied()) {
            out_.standings.all = standings_of(units_);
            std::erase_if(units_, [](const BuildUnit& unit) { return unit.is_file; });
            refuse_elsewhere(context_, repository_, units_, choice_, unreached_artifacts());
            report_hidden_files(context_, repository_, units_, choice_, false);
            add_releases();
            return false;
        }
        if (!choose_cluster(repository_, context_.options, context_.cluster, units_,
                            context_.build.diagnostics)) {
            return true;  // errors in the inputs of each cluster would not help
        }
        find_unmet(repository_, context_.options.skip_suspended, units_);
        applied_ = units_.size();
        add_includes(repository_, context_.build.reader, choice_.includes, units_);
        const std::size_t first = out_.files.size();
        add_all();
        std::ranges::move(builds_.added, std::back_inserter(out_.files));
        tell_apart(first);
        warn_skipped();
        Unreached unreached = unreached_inputs(repository_, units_);
        std::erase_if(unreached, [&](const auto& one) { return choice_.ignores_below(one.first); });
        report_unreached(context_, repository_, units_, choice_, unreached);
        refuse_elsewhere(context_, repository_, units_, choice_, unreached);
        note_standings(unreached);
        report_hidden_files(context_, repository_, units_, choice_, true);
        add_facts();
        add_values();
        add_releases();
        return true;
    }

private:
    // True if a file that its engine rejects is meant to apply inputs of a tree that nothing
    // applies.
    [[nodiscard]] bool may_be_applied() {
        const bool has_file = std::ranges::any_of(units_, &BuildUnit::is_file);
        const Unreached unreached = has_file ? unreached_inputs(repository_, units_) : Unreached();
        return std::ranges::any_of(units_, [&](const BuildUnit& unit) {
            return unit.is_file && std::ranges::any_of(unreached, [&](const auto& one) {
                       return says_path_of(unit.text,
                                           repo::relative_path(one.first, context_.root));
                   });
        });
    }

    [[nodiscard]] bool is_wanted(const BuildUnit& unit) const {
        return is_rendered(unit, context_.options.skip_suspended);
    }

    // The unit that applies a file determines the namespaces of its objects.
    [[nodiscard]] NamespaceRule rule_of(const BuildUnit& unit) const {
        return {.overwrite = unit.target_namespace,
                .fallback = unit.fallback_namespace.empty() ? context_.options.default_namespace
                                                            : unit.fallback_namespace,
                .edits = false};
    }

    static std::string kept_by(const BuildUnit& unit) {
        return liveness_of(unit) == Liveness::Kept ? fmt::format("{}: {}", unit.name, unit.reason)
                                                   : std::string();
    }

    struct WantedUnit {
        std::size_t index;
        std::unique_ptr<UnitTree> view;
        std::shared_ptr<const AppliedUnit> applied;
    };

    void add_all() {
        std::vector<WantedUnit> wanted;
        std::vector<PlainBuild> builds;  // in the order of the units
        for (std::size_t i = 0; i < units_.size(); ++i) {
            if (is_wanted(units_[i])) {
                wanted.push_back(
                    {i,
                     std::make_unique<UnitTree>(context_.build.tree, context_.build.reader,
                                                context_.build.sources, units_[i]),
                     applied(i)});
                add_builds(wanted.back(), builds);
            }
        }
        builds_.run_ahead(builds);
        auto next = builds.begin();
        for (const WantedUnit& unit : wanted) {
            const auto end = std::find_if(next, builds.end(), [&](const PlainBuild& build) {
                return build.unit != unit.applied;
            });
            add(unit, std::span(next, end));
            next = end;
        }
    }

    [[nodiscard]] std::shared_ptr<const AppliedUnit> applied(std::size_t index) const {
        const BuildUnit& unit = units_[index];
        return std::make_shared<const AppliedUnit>(AppliedUnit{
            .name = unit.name,
            .path = unit_path_of(units_, unit),
            .cluster = unit.cluster,
            .kept = kept_by(unit),
            .variables =
                settled_variables(units_, unit, repository_.variable_sources().substitutes()),
            .is_flux = unit.is_flux,
            .is_argo = unit.name.starts_with("Application "),
            .is_patched = unit.is_patched,
            .is_included = index >= applied_});
    }

    void add_builds(const WantedUnit& wanted, std::vector<PlainBuild>& builds) const {
        const BuildUnit& unit = units_[wanted.index];
        const UnitTree& view = *wanted.view;
        for (const std::string& dir : view.builds()) {
            builds.push_back({.tree = view.tree(),
                              .reader = view.reader(),
                              .dir = *repository_.find(dir),
                              .rule = rule_of(unit),
                              .unit = wanted.applied,
                              .loads_any = unit.loads_any,
                              .places = &view.plain_reader(),
                              .changes = unit.changes.get(),
                              .is_ignored = choice_.ignores_below(unit.dir)});
        }
    }

    void add(const WantedUnit& wanted, std::span<const PlainBuild> builds) {
        const std::size_t listed = out_.files.size();
        add_files(wanted, builds);
        if (wanted.applied->is_included) {
            drop_bare(listed);
        }
        const std::set<std::string>& claims = units_[wanted.index].claims;
        taken_.insert(claims.begin(), claims.end());
    }

    // Removes the files of an included build that an engine applies already. The included
    // kustomization may name them; if it sets no namespace, they are the same objects.
    void drop_bare(std::size_t first) {
        const auto begin = out_.files.begin() + static_cast<std::ptrdiff_t>(first);
        out_.files.erase(std::remove_if(begin, out_.files.end(),
                                        [&](const InputFile& file) {
                                            return taken_.contains(file.path) &&
                                                   out_.rules[file.rule].overwrite.empty();
                                        }),
                         out_.files.end());
    }

    void add_files(const WantedUnit& wanted, std::span<const PlainBuild> builds) {
        for (const PlainBuild& build : builds) {
            note_component(units_[wanted.index], build);
            builds_.run(build);
        }
        for (const std::string& path : wanted.view->manifests()) {
            builds_.added.push_back({.path = path,
                                     .bundle_path = repo::relative_path(path, context_.root),
                                     .bundle = bundle_,
                                     .rule = out_.add_rule(rule_of(units_[wanted.index])),
                                     .unit = wanted.applied});
        }
    }

    // The kustomization that Flux generates lists directories as resources, and kustomize takes no
    // Component there.
    void note_component(const BuildUnit& unit, const PlainBuild& build) {
        const Kustomization* file = build.reader.find(build.dir.path);
        if (unit.is_flux && build.dir.path != unit.dir && file != nullptr && is_component(*file)) {
            out_.unbuilt.emplace(
                std::pair(unit.name, unit.cluster),
                fmt::format("{} is a Component, but is listed as a resource", file->path));
        }
    }

    [[nodiscard]] bool are_same(const InputFile& a, const InputFile& b) const {
        const std::shared_ptr<const UnitVariables>& ours = a.unit->variables;
        const std::shared_ptr<const UnitVariables>& others = b.unit->variables;
        const bool same_variables = ours == others || (ours && others && *ours == *others);
        return out_.rules[a.rule] == out_.rules[b.rule] && same_variables && a.text == b.text &&
               a.unit->is_flux == b.unit->is_flux && a.unit->is_argo == b.unit->is_argo;
    }

    // Gives a file that units apply differently, for example to two namespaces, one path for each,
    // because these are different objects. If they apply it in the same way, it has one path.
    void tell_apart(std::size_t first) {
        std::map<std::string, std::vector<const InputFile*>> known;
        for (std::size_t i = first; i < out_.files.size(); ++i) {
            InputFile& file = out_.files[i];
            std::vector<const InputFile*>& twins = known[file.path];
            const auto same = std::ranges::find_if(
                twins, [&](const InputFile* twin) { return are_same(*twin, file); });
            if (same != twins.end()) {
                file.bundle_path = (*same)->bundle_path;
            } else if (!twins.empty()) {
                file.bundle_path = fmt::format("_{}/{}", twins.size(), file.bundle_path);
            }
            twins.push_back(&file);
        }
    }

    void warn_skipped() {
        for (const BuildUnit& unit : units_) {
            if (liveness_of(unit) == Liveness::Kept && !is_wanted(unit) &&
                input_count(repository_, unit) > 0) {
                context_.build.diagnostics
                    .warning(
                        "suspended-unit", {},
                        fmt::format("{} is suspended: what it exposes is not rendered", unit.name))
                    .where(unit.file)
                    .found(unit.reason)
                    .expected(fmt::format("no inputs in {}", unit.dir))
                    .hint("without --skip-suspended it is rendered, and marked");
            }
        }
    }

    // Adds manifests that no unit applies. Other objects may refer to them if a unit that is not
    // known may apply them, and not if another cluster does.
    void add_facts() {
        const bool is_known = std::ranges::none_of(units_, [](const BuildUnit& unit) {
            const Liveness liveness = liveness_of(unit);
            return liveness == Liveness::Broken || liveness == Liveness::Unknown ||
                   !unit.unbuilt.empty();
        });
        std::set<std::string> others;
        for (const BuildUnit& unit : units_) {
            if (unit.state == UnitState::OtherCluster) {
                others.insert(unit.claims.begin(), unit.claims.end());
            }
        }
        for (const repo::WalkedDir* dir : dirs_) {
            for (const std::string& name : dir->files) {
                const std::string path = repo::join_path(dir->path, name);
                if (dir->is_outside || !repo::is_manifest_name(name) || taken_.contains(path)) {
                    continue;
                }
                if (dir->in_chart) {
                    ++out_.skipped_files;
                } else {
                    add_fact(*dir, name, is_known || others.contains(path));
                }
            }
        }
    }

    void add_fact(const repo::WalkedDir& dir, const std::string& name, bool is_unapplied) {
        if (std::ranges::find(dir.kustomizations, name) != dir.kustomizations.end()) {
            return;
        }
        out_.files.push_back(
            {.path = repo::join_path(dir.path, name),
             .bundle_path = repo::join_path(dir.relative, name),
             .bundle = bundle_,
             .rule = out_.add_rule({.fallback = context_.options.default_namespace}),
             .reachable = false,
             .is_unapplied = is_unapplied,
             .lenient = true});
    }

    // Adds files that may be values of charts, including those that no unit applies: users may pass
    // them to a chart by hand.
    void add_values() {
        std::set<std::string> claimed, manifests, of_charts;
        for (const BuildUnit& unit : units_) {
            claimed.insert(unit.claims.begin(), unit.claims.end());
            if (is_wanted(unit)) {
                manifests.insert(unit.manifests.begin(), unit.manifests.end());
            }
            if (is_wanted(unit) && unit.chart) {
                of_charts.insert(unit.claims.begin(), unit.claims.end());
            }
        }
        std::set<std::string> taken_dirs;
        for (const std::string& path : taken_) {
            taken_dirs.insert(repo::parent_path(path));
        }
        const auto is_values = [&](const std::string& path, bool in_chart) {
            if (!repo::is_manifest_name(repo::base_name(path))) {
                return taken_dirs.contains(repo::parent_path(path));
            }
            const bool is_manifest =
                in_chart && manifests.contains(path) && !of_charts.contains(path);
            return (taken_.contains(path) && !is_manifest) ||
                   (!in_chart && !repository_.flux_sources().is_outside(path) &&
                    !claimed.contains(path) && !is_archived(repository_, path) &&
                    !choice_.ignores_below(path));
        };
        add_chart_files(dirs_, is_values, out_);
        for (ChartFile& file : out_.chart_files) {
            file.is_applied = taken_.contains(file.path);
        }
    }

    // Returns the only cluster whose inputs are rendered, or else the only one with charts. Returns
    // kOwnCluster if there is not exactly one.
    std::string cluster_of_charts() {
        std::set<std::string> with_inputs, with_charts;
        for (const BuildUnit& unit : units_) {
            const std::string name(unit.cluster.empty() ? kOwnCluster : unit.cluster);
            if (is_wanted(unit) && input_count(repository_, unit) > 0) {
                with_inputs.insert(name);
            }
            if (unit.chart) {
                with_charts.insert(name);
            }
        }
        const std::set<std::string>& names = with_inputs.empty() ? with_charts : with_inputs;
        return names.size() == 1 ? *names.begin() : std::string(kOwnCluster);
    }

    void add_releases() {
        out_.has_units = true;
        out_.foreign_sources = repository_.flux_sources().foreign();
        const std::string cluster = cluster_of_charts();
        for (std::size_t i = 0; i < units_.size(); ++i) {
            const BuildUnit& unit = units_[i];
            const bool is_here = unit.cluster.empty() || unit.cluster == cluster ||
                                 !context_.options.cluster.empty();
            const bool is_applied = unit.state == UnitState::External || is_wanted(unit);
            if (unit.chart && !is_here && unit.cluster != kOwnCluster &&
                is_operator_chart(chart_of_source(unit.chart->source))) {
                out_.operators_elsewhere.insert(unit.file);
            }
            // The values of a chart that no unit applies (is_chart_root) can only be guessed.
            if (!unit.chart || unit.is_chart_root || !is_applied || !is_here) {
                continue;
            }
            ChartRelease& release = out_.releases.emplace_back(
                chart_release_of_source(unit.chart->application,
                                        text_of(unit.chart->application, {"metadata", "namespace"}),
                                        unit.chart->source, context_.build.sources));
            release.unit = applied(i);
            release.kept = release.unit->kept;
            if (unit.state != UnitState::External) {
                release.dir = release.files_dir = unit.dir;
                release.chart = unit.dir;
            }
            note_other_repositories(unit.chart->application, release);
            if (names_other_repository(unit.chart->application, release)) {
                release.unknown = "values files of another repository";
            }
        }
    }

    // Returns true for a values file `$ref/x` if the source with that `ref` is not this repository.
    [[nodiscard]] bool names_other_repository(const Value& application,
                                              const ChartRelease& release) const {
        return std::ranges::any_of(release.values_files, [&](const ValuesFile& file) {
            return any_source_of(application, file, [&](std::string_view url) {
                return !repository_.own_repository().is_own(url);
            });
        });
    }

    template <typename IsMeant>
    static bool any_source_of(const Value& application, const ValuesFile& file,
                              const IsMeant& is_meant) {
        const std::string_view path = file.path;
        const std::string_view ref =
            path.starts_with('$') ? path.substr(1, path.find('/') - 1) : std::string_view();
        return !ref.empty() &&
               std::ranges::any_of(application_sources(application), [&](const Value* source) {
                   return text_of(*source, {"ref"}) == ref &&
                          is_meant(text_of(*source, {"repoURL"}));
               });
    }

    // Marks values files of other repositories, if it is known which repository this is.
    void note_other_repositories(const Value& application, ChartRelease& release) const {
        for (ValuesFile& file : release.values_files) {
            const bool is_other = any_source_of(application, file, [&](std::string_view url) {
                return repository_.own_repository().is_other(url);
            });
            if (is_other) {
                file.elsewhere = "of another repository";
            }
        }
    }

    // Returns inputs that no unit applies, if a unit may apply an artifact that is made of this
    // tree. This is for a tree that is rendered as a whole, while the artifact would be applied
    // differently.
    Unreached unreached_artifacts() {
        if (std::ranges::none_of(units_, [](const BuildUnit& unit) {
                return unit.may_be_own && !unit.source.starts_with("GitRepository/");
            })) {
            return {};
        }
        Unreached unreached = unreached_inputs(repository_, units_);
        std::erase_if(unreached, [&](const auto& one) {
            return choice_.ignores_below(one.first) ||
                   std::ranges::any_of(choice_.includes, [&](const std::string& dir) {
                       return repo::is_within(one.first, dir);
                   });
        });
        return unreached;
    }

    void note_standings(const Unreached& unreached) {
        Standings& out = out_.standings;
        out.all = standings_of(units_);
        out.clusters = clusters_of(units_, false);
        out.others = clusters_of(units_, true);
        out.revisions = revisions_of(units_, repository_.flux_sources().revisions(), context_.root);
        for (const auto& [dir, names] : unreached) {
            for (const std::string& name : names) {
                out.unreached.insert(
                    repo::relative_path(repo::join_path(dir, name), context_.root));
            }
        }
        for (const std::string& dir : choice_.ignores) {
            out.ignored.push_back(repo::relative_path(dir, context_.root));
        }
    }

    const SelectContext& context_;
    Selection& out_;
    const DirList& dirs_;
    std::uint32_t bundle_;
    GitOpsTree repository_;
    BuildSelection builds_;
    std::vector<BuildUnit> units_;
    std::size_t applied_ = SIZE_MAX;  // units before this index; --include adds the others
    UnitChoice choice_;
    std::set<std::string> taken_;
};

}  // namespace

bool select_units(const SelectContext& context, const DirList& dirs, std::uint32_t bundle) {
    DirList all = dirs;
    if (const LocalSources* local = context.build.reader.local().get()) {
        for (const repo::WalkedDir& dir : local->outside()) {
            all.push_back(&dir);
        }
    }
    return UnitSelection(context, all, bundle).run();
}

}  // namespace renderer::engines
