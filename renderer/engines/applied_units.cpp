#include "renderer/engines/applied_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "renderer/core/yaml_writer.h"
#include "renderer/engines/candidates.h"
#include "renderer/engines/chart_roots.h"
#include "renderer/engines/cluster_choice.h"
#include "renderer/engines/flux/flux_units.h"
#include "renderer/engines/flux/not_reconciled.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/patched_roots.h"
#include "renderer/engines/root_files.h"
#include "renderer/engines/unit_build.h"
#include "renderer/engines/unit_content.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/engines/values_with_paths.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMostUnits = 20000;
constexpr int kDeepestUnit = 32;

class Planner {
public:
    Planner(GitOpsTree& repository, KustomizationReader& reader, SourceMap& sources,
            const repo::LoadOptions& options, const std::vector<std::string>& ignores,
            Diagnostics& diagnostics)
        : repository_(repository),
          reader_(reader),
          sources_(sources),
          options_(options),
          diagnostics_(diagnostics),
          root_files_(repository, reader, ignores),
          candidates_(repository, reader),
          builder_(repository, reader, sources, options) {}

    std::vector<BuildUnit> run() {
        for (const auto& [path, mentions] : repository_.mentions()) {
            reader_.know_mention(path, mentions);
        }
        take_patched_roots(repository_, reader_, root_files_, builder_, diagnostics_);
        candidates_.find();
        std::vector<BuildUnit> roots = instance_roots();
        const bool has_instance = std::ranges::any_of(roots, has_content);
        if (!has_instance) {
            std::vector<BuildUnit> others = flux_roots();
            if (!others.empty()) {
                std::erase_if(roots, [](const BuildUnit& root) { return root.is_guessed; });
                roots.insert(roots.end(), others.begin(), others.end());
            }
        }
        for (BuildUnit& root : roots) {
            expand(std::move(root));
        }
        if (has_instance) {
            add_leftovers();
        }
        for (BuildUnit& root : argo_root_units()) {
            expand(std::move(root));
        }
        for (const BuildUnit& root : chart_roots()) {
            expand_chart(root);
        }
        add_refused_files(
            repository_,
            [this](const std::string& file) { return root_files_.may_be_root(file, units_); },
            units_);
        for (const std::size_t index : assumed_) {
            const bool is_error =
                changed_.contains(index) && gives_inputs(repository_, units_, index);
            report_assumed(units_[index], is_error ? Severity::Error : Severity::Warning,
                           diagnostics_);
        }
        return std::move(units_);
    }

private:
    [[nodiscard]] std::string label(const std::string& dir) const {
        const std::string relative = repo::relative_path(dir, repository_.root());
        return relative.empty() ? "." : relative;
    }

    std::vector<BuildUnit> flux_roots() {
        const std::vector<const Candidate*> own = candidates_.self_applied();
        if (own.empty()) {
            return loose_roots();
        }
        std::vector<BuildUnit> roots;
        for (const Candidate* top : tops_of(own)) {
            for (const BuildUnit& unit : top->units) {
                roots.push_back(unit);
                roots.back().cluster = label(top->units.front().dir);
            }
        }
        return roots;
    }

    // Returns Kustomizations that nothing applies: as in their files or, if kustomizations list
    // them, as the topmost of these build them.
    std::vector<BuildUnit> loose_roots() {
        std::vector<BuildUnit> roots;
        std::vector<RootFolder> folders;
        std::set<std::string> files, dirs;
        const auto add = [&](const BuildUnit& root, const std::string& folder) {
            roots.push_back(root);
            folders.push_back({.folder = folder, .names = {}});
            folders.back().names[root.name] = {.is_root = true, .dirs = {root.dir}};
        };
        for (const Candidate* top : tops_of(root_files_.loose_kustomizations(candidates_.all()))) {
            const std::vector<std::string> listing = root_files_.tops(top->file);
            for (const BuildUnit& unit : root_files_.units_of(*top)) {
                if (listing.empty()) {
                    add(unit, repo::parent_path(top->file));
                }
            }
            files.insert(top->file);
            dirs.insert(listing.begin(), listing.end());
        }
        for (const std::string& dir : dirs) {
            for (const BuildUnit& made : made_by(dir)) {
                const bool is_child =
                    std::ranges::any_of(candidates_.all(), [&](const Candidate& one) {
                        return one.file == made.file && !files.contains(one.file);
                    });
                if (!is_child) {
                    add(made, dir);
                }
            }
        }
        const auto clusters = tell_clusters_apart(repository_.root(), folders, true);
        for (std::size_t i = 0; i < roots.size() && !clusters.empty(); ++i) {
            roots[i].cluster = clusters.at(folders[i].folder);
        }
        std::ranges::stable_sort(roots, {}, &BuildUnit::cluster);
        return roots;
    }

    // Returns the Flux Kustomizations in the output of a kustomization.
    std::vector<BuildUnit> made_by(const std::string& dir) {
        BuildUnit top;
        top.name = fmt::format("kustomization {}", label(dir));
        top.dir = dir;
        top.is_flux = true;
        top.loads_any = true;
        find_content(repository_, reader_, top);
        EngineObjects objects = builder_.engine_objects(top);
        std::vector<BuildUnit> made;
        for (const EngineObject& object : objects.objects) {
            for (BuildUnit& unit : candidates_.units_of(object)) {
                if (unit.is_flux) {  // may be of a ResourceSet
                    made.push_back(std::move(unit));
                }
            }
        }
        if (!objects.assumed.empty()) {
            top.unbuilt =
                objects.assumed == kNoKustomize ? std::string() : std::move(objects.assumed);
            report_assumed(top, Severity::Warning, diagnostics_);
        }
        return made;
    }

    // Returns the candidates that none of the others applies.
    [[nodiscard]] std::vector<const Candidate*> tops_of(std::vector<const Candidate*> found) const {
        // A parent directory comes before its children.
        std::ranges::stable_sort(
            found, {}, [](const Candidate* one) { return one->units.front().dir.size(); });
        std::vector<const Candidate*> tops;
        for (const Candidate* candidate : found) {
            const bool is_child = std::ranges::any_of(
                found, [&](const Candidate* other) { return applies(*other, *candidate); });
            if (!is_child && !root_files_.is_excluded(candidate->file)) {
                tops.push_back(candidate);
            }
        }
        return tops;
    }

    // Adds roots next to a FluxInstance: they belong to another cluster, or the instance replaced
    // them.
    void add_leftovers() {
        const std::set<std::string> reached = inputs_from(0);
        for (const Candidate* top : tops_of(candidates_.self_applied())) {
            BuildUnit root = top->units.front();
            const bool is_child = std::ranges::any_of(units_, [&](const BuildUnit& unit) {
                return has_content(unit) &&
                       (unit.claims.contains(root.file) || unit.dir == root.dir);
            });
            if (is_child || !has_content(root)) {
                continue;
            }
            root.cluster = label(root.dir);
            const bool is_wanted = is_cluster(root.cluster, options_.cluster);
            const std::size_t first = units_.size();
            expand(std::move(root));
            if (units_.size() == first) {
                continue;
            }
            for (const std::string& path : inputs_from(first)) {
                std::vector<std::string>& beyond = units_[first].beyond;
                std::string dir = repo::parent_path(path);
                if (!reached.contains(path) && !is_included(dir) &&
                    std::ranges::find(beyond, dir) == beyond.end()) {
                    beyond.push_back(std::move(dir));
                }
            }
            if (units_[first].beyond.empty() && !is_wanted) {
                leave_over(first);
            }
        }
    }

    [[nodiscard]] bool is_included(const std::string& dir) const {
        return std::ranges::any_of(options_.includes, [&](const std::string& include) {
            return repo::is_within(dir, repo::normal_path(include));
        });
    }

    // Returns the inputs of the units from `first` on.
    std::set<std::string> inputs_from(std::size_t first) {
        std::set<std::string> inputs;
        for (std::size_t i = first; i < units_.size(); ++i) {
            for (const std::string& path : units_[i].claims) {
                if (has_content(units_[i]) && repository_.holds_input(path)) {
                    inputs.insert(path);
                }
            }
        }
        return inputs;
    }

    void leave_over(std::size_t root) {
        units_.resize(root + 1);
        std::erase_if(assumed_, [&](std::size_t index) { return index >= root; });
        units_[root].state = UnitState::LeftOver;
        units_[root].reason = fmt::format("{} applies all that it does", units_.front().name);
        units_[root].claims.clear();
    }

    std::vector<BuildUnit> instance_roots() {
        std::vector<BuildUnit> roots;
        for (const EngineObject& instance : repository_.instances()) {
            if (root_files_.is_excluded(instance.file)) {
                continue;
            }
            for (BuildUnit& unit : instance_units(repository_, instance)) {
                if (std::ranges::find(roots, unit.dir, &BuildUnit::dir) == roots.end()) {
                    find_content(repository_, reader_, unit);
                    patch_root(instance, unit);
                    unit.cluster = label(unit.dir);
                    roots.push_back(std::move(unit));
                }
            }
        }
        return roots;
    }

    // Applies the patches of a FluxInstance to the unit that it makes.
    void patch_root(const EngineObject& instance, BuildUnit& unit) {
        const auto made = patched_sync(repository_, sources_, builder_, instance, unit.dir);
        if (!made) {
            return report_assumed(unit, Severity::Error, diagnostics_);
        }
        repository_.add_objects(*made);
        for (const EngineObject& object : *made) {
            for (BuildUnit& patched : candidates_.units_of(object, false)) {
                patched.name = unit.name;
                patched.is_guessed = unit.is_guessed;
                unit = std::move(patched);
            }
        }
    }

    // Returns the candidates that no unit applies.
    std::vector<const Candidate*> argo_roots() {
        std::vector<const Candidate*> roots;
        for (const Candidate& candidate : candidates_.all()) {
            if (candidate.is_flux || root_files_.is_excluded(candidate.file) ||
                root_files_.is_left_out(candidate.file) ||
                root_files_.is_patch(candidate, candidates_.all())) {
                continue;
            }
            const auto is_beside = [&](const BuildUnit& unit) {
                return root_files_.is_beside(unit, candidate.file);
            };
            const bool is_child = std::ranges::any_of(
                candidates_.all(),
                [&](const Candidate& other) { return applies(other, candidate); });
            const bool is_dead =
                std::ranges::any_of(units_, is_beside) ||
                std::ranges::any_of(candidates_.all(), [&](const Candidate& other) {
                    return &other != &candidate && std::ranges::any_of(other.units, is_beside);
                });
            const bool is_planned = std::ranges::any_of(units_, [&](const BuildUnit& unit) {
                return holds_manifest(unit, candidate.file);
            });
            if (!is_child && !is_dead && !is_planned) {
                roots.push_back(&candidate);
            }
        }
        return roots;
    }

    std::vector<BuildUnit> argo_root_units() {
        const std::vector<const Candidate*> roots = argo_roots();
        std::vector<RootFolder> folders;
        for (const Candidate* root : roots) {
            const std::vector<std::string> listing = root_files_.tops(root->file);
            RootFolder& folder = folders.emplace_back();
            folder.folder = listing.size() == 1 ? listing.front() : repo::parent_path(root->file);
            candidates_.add_names(*root, folder);
        }
        const auto clusters = tell_clusters_apart(repository_.root(), folders, false);
        std::vector<BuildUnit> units;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const auto cluster = clusters.find(folders[i].folder);
            for (const BuildUnit& unit : root_files_.units_of(*roots[i])) {
                units.push_back(unit);
                if (cluster != clusters.end() && unit.cluster == kOwnCluster) {
                    units.back().cluster = cluster->second;
                }
            }
        }
        return units;
    }

    // Each unit that applies the HelmRelease installs the chart. In a tree of Flux one must.
    void expand_chart(const BuildUnit& root) {
        const std::size_t count = units_.size();
        bool is_by_hand =
            root.file == chart_file(root) || std::ranges::none_of(units_, &BuildUnit::is_flux);
        for (std::size_t i = 0; i < count; ++i) {
            if (!units_[i].claims.contains(root.file)) {
                continue;
            }
            is_by_hand = false;
            if (may_change(repository_, units_[i], root.file)) {
                units_.push_back(unknown_chart(units_, i, root.dir,
                                               "patches or variables may change its HelmRelease"));
            } else {
                expand(adopted(i, root));
            }
        }
        if (is_by_hand) {
            expand(root);
        }
    }

    // Returns charts that a HelmRelease or a person installs: neither a unit nor another one does.
    std::vector<BuildUnit> chart_roots() {
        std::vector<BuildUnit> roots = charts_of_engines(repository_, reader_);
        std::erase_if(roots, [&](const BuildUnit& root) {
            const auto claims = [&](const BuildUnit& unit) {
                return unit.claims.contains(chart_file(root));
            };
            return root_files_.is_excluded(root.dir) || std::ranges::any_of(units_, claims) ||
                   std::ranges::any_of(candidates_.all(), [&](const Candidate& candidate) {
                       return std::ranges::any_of(candidate.units, claims);
                   });
        });
        std::vector<std::set<std::string>> made(roots.size());
        for (std::size_t i = 0; i < roots.size(); ++i) {
            Result<std::vector<EngineObject>> objects = builder_.chart_objects(roots[i]);
            const bool is_release = roots[i].file != chart_file(roots[i]);
            roots[i].is_chart_root = is_release || !objects || !objects->empty();
            if (!objects) {
                continue;
            }
            repository_.learn_own_repository(*objects);
            for (const EngineObject& object : *objects) {
                for (const BuildUnit& unit : candidates_.units_of(object)) {
                    made[i].insert(unit.claims.begin(), unit.claims.end());
                }
            }
        }
        return topmost_charts(std::move(roots), made);
    }

    // Records a unit. Returns false if it was recorded before.
    bool is_new(const BuildUnit& unit) {
        std::string source;  // an Application may have several of one chart
        if (unit.chart) {
            write_yaml(unit.chart->source, source);
        }
        return known_.emplace(unit.name + source, unit.dir, unit.cluster).second;
    }

    void expand(BuildUnit root) {
        if (!is_new(root)) {
            return;
        }
        std::vector<std::size_t> level = {units_.size()};
        units_.push_back(std::move(root));
        for (int depth = 0; depth < kDeepestUnit && !level.empty(); ++depth) {
            std::erase_if(level, [&](std::size_t index) { return !has_content(units_[index]); });
            builder_.run_ahead(units_, level);
            std::vector<std::size_t> children;
            for (const std::size_t index : level) {
                add_children(index, children);
            }
            level = std::move(children);
        }
    }

    void add_children(std::size_t index, std::vector<std::size_t>& children) {
        const std::vector<EngineObject> objects = objects_of(index);
        const bool is_built = std::ranges::find(assumed_, index) == assumed_.end();
        for (const EngineObject& object : objects) {
            const std::string mark =
                units_[index].is_flux ? why_not_reconciled(object.root) : std::string();
            for (BuildUnit& made : candidates_.units_of(object, is_built, !units_[index].is_flux)) {
                if (!mark.empty()) {
                    keep(made, mark);
                }
                BuildUnit child = adopted(index, std::move(made));
                if (units_.size() < kMostUnits && is_new(child)) {
                    children.push_back(units_.size());
                    units_.push_back(std::move(child));
                }
            }
        }
    }

    std::vector<EngineObject> objects_of(std::size_t index) {
        if (units_[index].chart) {
            Result<std::vector<EngineObject>> made = builder_.chart_objects(units_[index]);
            if (made) {
                return std::move(*made);
            }
            units_.push_back(
                unknown_chart(units_, index, units_[index].dir, made.error().diagnostic.found));
            return {};
        }
        EngineObjects made = builder_.engine_objects(units_[index]);
        if (!made.assumed.empty()) {
            assumed_.push_back(index);
            if (made.assumed == kNoKustomize && made.may_differ) {
                changed_.insert(index);
            }
            units_[index].unbuilt =
                made.assumed == kNoKustomize ? std::string() : std::move(made.assumed);
        }
        if (!made.chart.empty()) {
            units_.push_back(unknown_chart(units_, index, made.chart, made.why));
        }
        return std::move(made.objects);
    }

    // A child belongs to the cluster of its parent, unless it names another one.
    [[nodiscard]] BuildUnit adopted(std::size_t index, BuildUnit child) const {
        const BuildUnit& parent = units_[index];
        child.parent = index;
        if (child.cluster.empty() || child.cluster == kOwnCluster) {
            child.cluster = parent.cluster;
        }
        if (parent.state == UnitState::Kept) {
            const bool is_told =
                parent.parent != SIZE_MAX && units_[parent.parent].state == UnitState::Kept;
            keep(child,
                 is_told ? parent.reason : fmt::format("{} of {}", parent.reason, parent.name));
        }
        return child;
    }

    GitOpsTree& repository_;
    KustomizationReader& reader_;
    SourceMap& sources_;
    const repo::LoadOptions& options_;
    Diagnostics& diagnostics_;
    RootFiles root_files_;
    Candidates candidates_;
    UnitBuilder builder_;
    std::vector<BuildUnit> units_;
    std::vector<std::size_t> assumed_;  // indexes of units that were not built
    std::set<std::size_t> changed_;     // those of them that kustomize would change
    std::set<std::tuple<std::string, std::string, std::string>> known_;
};

}  // namespace

std::vector<BuildUnit> applied_units(GitOpsTree& repository, KustomizationReader& reader,
                                     SourceMap& sources, const repo::LoadOptions& options,
                                     const std::vector<std::string>& ignores,
                                     Diagnostics& diagnostics) {
    std::vector<BuildUnit> units =
        Planner(repository, reader, sources, options, ignores, diagnostics).run();
    add_charts_with_paths(repository, units);
    return units;
}

}  // namespace renderer::engines
