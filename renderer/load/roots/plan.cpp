#include "renderer/load/roots/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/load/hooks.h"
#include "renderer/load/roots/application_set.h"
#include "renderer/load/roots/argo_units.h"
#include "renderer/load/roots/chart_roots.h"
#include "renderer/load/roots/cluster_choice.h"
#include "renderer/load/roots/flux_units.h"
#include "renderer/load/roots/liveness.h"
#include "renderer/load/roots/not_reconciled.h"
#include "renderer/load/roots/unit_build.h"
#include "renderer/load/roots/unit_content.h"
#include "renderer/load/roots/unit_inputs.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::size_t kMostUnits = 20000;
constexpr int kDeepestUnit = 32;

class Planner {
public:
    Planner(GitOpsTree& repository, KustomizationReader& reader, SourceMap& sources,
            const LoadOptions& options, Diagnostics& diagnostics)
        : repository_(repository),
          reader_(reader),
          options_(options),
          diagnostics_(diagnostics),
          sets_(repository),
          builder_(repository, reader, sources, options) {}

    std::vector<BuildUnit> run() {
        for (const auto& [path, mentions] : repository_.mentions()) {
            reader_.know_mention(path, mentions);
        }
        find_candidates();
        std::vector<BuildUnit> roots = instance_roots();
        const bool has_instance = std::ranges::any_of(roots, has_content);
        if (!has_instance) {
            std::vector<BuildUnit> others = flux_roots();
            if (!others.empty()) {
                roots = std::move(others);
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
        for (BuildUnit& root : chart_roots()) {
            expand(std::move(root));
        }
        add_unread(repository_, units_);
        for (const std::size_t index : assumed_) {
            warn_assumed(units_[index]);
        }
        return std::move(units_);
    }

private:
    // An object of an engine, as its file says it.
    struct Candidate {
        std::string file;
        bool is_flux = false;
        bool is_bootstrap = false;
        std::vector<BuildUnit> units;

        [[nodiscard]] bool claims(const std::string& path) const {
            return std::ranges::any_of(units, [&](const BuildUnit& unit) {
                return has_content(unit) && unit.claims.contains(path);
            });
        }
    };

    // Of two that apply each other the first does.
    static bool applies(const Candidate& parent, const Candidate& child) {
        const bool is_mutual = child.claims(parent.file) && &parent > &child;
        return &parent != &child && parent.claims(child.file) && !is_mutual;
    }

    std::vector<BuildUnit> units_of(const EngineObject& object) {
        std::vector<BuildUnit> units;
        if (is_skipped(object.root)) {
            return units;
        }
        if (is_kind(object.root, kFluxGroup, "Kustomization")) {
            units.push_back(flux_unit(repository_, object));
        } else if (is_kind(object.root, kArgoGroup, "Application")) {
            units = argo_units(repository_, object);
        } else if (is_kind(object.root, kArgoGroup, "ApplicationSet")) {
            units = set_units(object);
        }
        for (BuildUnit& unit : units) {
            if (has_content(unit)) {
                find_content(repository_, reader_, unit);
            }
        }
        return units;
    }

    std::vector<BuildUnit> set_units(const EngineObject& set) {
        ExpandedSet expanded = sets_.expand(set);
        std::vector<BuildUnit> units;
        for (const EngineObject& application : expanded.applications) {
            std::ranges::move(argo_units(repository_, application), std::back_inserter(units));
        }
        if (!expanded.unresolved.empty()) {
            BuildUnit& rest = units.emplace_back();
            rest.name = fmt::format("ApplicationSet {}", text_of(set.root, {"metadata", "name"}));
            rest.file = set.file;
            rest.state = UnitState::Unresolved;
            rest.rest = UnitRest::Set;
            rest.reason = std::move(expanded.unresolved);
            rest.pos = set.root.find("kind")->pos();
        }
        return units;
    }

    void find_candidates() {
        for (const EngineObject& object : repository_.objects()) {
            std::vector<BuildUnit> units = units_of(object);
            if (!units.empty()) {
                const bool is_flux = is_kind(object.root, kFluxGroup, "Kustomization");
                const bool is_first = is_flux && is_bootstrap(object, units.front());
                candidates_.push_back({object.file, is_flux, is_first, std::move(units)});
            }
        }
    }

    [[nodiscard]] std::string label(const std::string& dir) const {
        const std::string relative = relative_path(dir, repository_.root());
        return relative.empty() ? "." : relative;
    }

    std::vector<BuildUnit> flux_roots() {
        const std::vector<const Candidate*> own = self_applied();
        std::vector<BuildUnit> roots = tops_of(own.empty() ? loose_kustomizations() : own);
        for (BuildUnit& root : roots) {
            root.cluster = own.empty() ? std::string() : label(root.dir);
        }
        name_clusters(repository_.root(), roots);
        return roots;
    }

    [[nodiscard]] std::vector<const Candidate*> self_applied() const {
        std::vector<const Candidate*> found;
        for (const Candidate& candidate : candidates_) {
            if (candidate.is_bootstrap || (candidate.is_flux && candidate.claims(candidate.file))) {
                found.push_back(&candidate);
            }
        }
        return found;
    }

    // Those that no other of them applies.
    [[nodiscard]] std::vector<BuildUnit> tops_of(std::vector<const Candidate*> found) const {
        // The one above applies those below.
        std::ranges::stable_sort(
            found, {}, [](const Candidate* one) { return one->units.front().dir.size(); });
        std::vector<BuildUnit> tops;
        for (const Candidate* candidate : found) {
            const bool is_child = std::ranges::any_of(
                found, [&](const Candidate* other) { return applies(*other, *candidate); });
            if (!is_child && !is_archived(repository_, candidate->file)) {
                tops.push_back(candidate->units.front());
            }
        }
        return tops;
    }

    // Roots beside a FluxInstance: of a cluster of their own, or what it has replaced.
    void add_leftovers() {
        const std::set<std::string> reached = inputs_from(0);
        for (BuildUnit& root : tops_of(self_applied())) {
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
                std::string dir = parent_path(path);
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
            return is_within(dir, normal_path(include));
        });
    }

    // Of the units from `first` on.
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

    std::vector<const Candidate*> loose_kustomizations() {
        std::vector<const Candidate*> found;
        for (const Candidate& candidate : candidates_) {
            if (candidate.is_flux && !is_left_out(candidate.file)) {
                found.push_back(&candidate);
            }
        }
        return found;
    }

    // There are kustomizations in its directory or above, and none of them lists the file.
    bool is_left_out(const std::string& file) {
        bool is_below = false;
        std::string dir = parent_path(file);
        for (const WalkedDir* known = repository_.find(dir); known != nullptr;
             known = repository_.find(dir)) {
            if (!known->kustomizations.empty()) {
                const auto [build, is_new] = builds_.try_emplace(dir);
                if (is_new) {
                    build->second =
                        find_build_files(repository_.tree(), reader_, repository_.root(), dir)
                            .paths;
                }
                if (build->second.contains(file)) {
                    return false;
                }
                is_below = true;
            }
            if (dir == parent_path(dir)) {
                break;
            }
            dir = parent_path(dir);
        }
        return is_below;
    }

    std::vector<BuildUnit> instance_roots() {
        std::vector<BuildUnit> roots;
        for (const EngineObject& instance : repository_.instances()) {
            if (is_archived(repository_, instance.file)) {
                continue;
            }
            for (BuildUnit& unit : instance_units(repository_, instance)) {
                if (std::ranges::find(roots, unit.dir, &BuildUnit::dir) == roots.end()) {
                    find_content(repository_, reader_, unit);
                    unit.cluster = label(unit.dir);
                    roots.push_back(std::move(unit));
                }
            }
        }
        return roots;
    }

    // Those that no unit applies. One that lies beside what a unit applies was taken out of it.
    std::vector<const Candidate*> argo_roots() {
        std::vector<const Candidate*> roots;
        for (const Candidate& candidate : candidates_) {
            if (candidate.is_flux || is_archived(repository_, candidate.file) ||
                is_left_out(candidate.file)) {
                continue;
            }
            const auto leaves_out = [&](const BuildUnit& unit) {
                return has_content(unit) && unit.dir != repository_.root() &&
                       is_within(candidate.file, unit.dir) && !unit.claims.contains(candidate.file);
            };
            const bool is_child = std::ranges::any_of(
                candidates_, [&](const Candidate& other) { return applies(other, candidate); });
            const bool is_dead =
                std::ranges::any_of(units_, leaves_out) ||
                std::ranges::any_of(candidates_, [&](const Candidate& other) {
                    return &other != &candidate && std::ranges::any_of(other.units, leaves_out);
                });
            const bool is_planned = std::ranges::any_of(units_, [&](const BuildUnit& unit) {
                return has_content(unit) && unit.claims.contains(candidate.file);
            });
            if (!is_child && !is_dead && !is_planned) {
                roots.push_back(&candidate);
            }
        }
        return roots;
    }

    std::vector<BuildUnit> argo_root_units() {
        const std::vector<const Candidate*> roots = argo_roots();
        std::vector<BuildUnit> units;
        for (const Candidate* root : roots) {
            units.insert(units.end(), root->units.begin(), root->units.end());
        }
        tell_clusters_apart(repository_.root(), units);
        return units;
    }

    // Charts that are installed by hand: no one applies them, and no other of them makes something
    // that does.
    std::vector<BuildUnit> chart_roots() {
        std::vector<BuildUnit> roots = charts_of_engines(repository_, reader_);
        std::erase_if(roots, [&](const BuildUnit& root) {
            const auto claims = [&](const BuildUnit& unit) {
                return unit.claims.contains(root.file);
            };
            return is_archived(repository_, root.dir) || std::ranges::any_of(units_, claims) ||
                   std::ranges::any_of(candidates_, [&](const Candidate& candidate) {
                       return std::ranges::any_of(candidate.units, claims);
                   });
        });
        // What each makes, but for itself. Of two that make each other the first is the root.
        std::vector<std::set<std::string>> made(roots.size());
        for (std::size_t i = 0; i < roots.size(); ++i) {
            Result<std::vector<EngineObject>> objects = builder_.chart_objects(roots[i]);
            roots[i].is_chart_root = !objects || !objects->empty();
            if (!objects) {
                continue;
            }
            repository_.learn_own_url(*objects);
            for (const EngineObject& object : *objects) {
                for (const BuildUnit& unit : units_of(object)) {
                    made[i].insert(unit.claims.begin(), unit.claims.end());
                }
            }
        }
        std::vector<BuildUnit> kept;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            bool is_made = !roots[i].is_chart_root;
            for (std::size_t j = 0; j < roots.size(); ++j) {
                const bool is_mutual = i < j && made[i].contains(roots[j].file);
                is_made = is_made || (i != j && !is_mutual && made[j].contains(roots[i].file));
            }
            if (!is_made) {
                kept.push_back(std::move(roots[i]));
            }
        }
        return kept;
    }

    // True: it is not known yet.
    bool is_new(const BuildUnit& unit) {
        std::string source;  // of an Application that has several of one chart
        if (unit.chart) {
            write_yaml(unit.chart->source, source);
        }
        return known_.emplace(unit.name + source, unit.dir, unit.cluster).second;
    }

    void expand(BuildUnit root) {
        if (!is_new(root)) {
            return;
        }
        std::deque<std::pair<std::size_t, int>> waiting;
        units_.push_back(std::move(root));
        waiting.emplace_back(units_.size() - 1, 0);
        while (!waiting.empty()) {
            const auto [index, depth] = waiting.front();
            waiting.pop_front();
            if (!has_content(units_[index]) || depth == kDeepestUnit) {
                continue;
            }
            for (const EngineObject& object : objects_of(index)) {
                const std::string mark =
                    units_[index].is_flux ? why_not_reconciled(object.root) : std::string();
                for (BuildUnit& child : units_of(object)) {
                    if (!mark.empty()) {
                        keep(child, mark);
                    }
                    adopt(units_[index], index, child);
                    if (units_.size() < kMostUnits && is_new(child)) {
                        units_.push_back(std::move(child));
                        waiting.emplace_back(units_.size() - 1, depth + 1);
                    }
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
            BuildUnit unknown;
            unknown.name = fmt::format("chart {}", units_[index].dir);
            unknown.file = units_[index].file;
            unknown.parent = index;
            unknown.cluster = units_[index].cluster;
            unknown.state = UnitState::Unresolved;
            unknown.rest = UnitRest::Chart;
            unknown.reason = std::move(made.error().diagnostic.found);
            units_.push_back(std::move(unknown));
            return {};
        }
        std::string assumed;
        std::vector<EngineObject> objects = builder_.engine_objects(units_[index], assumed);
        if (!assumed.empty()) {
            assumed_.push_back(index);
            units_[index].unbuilt = assumed == kNoKustomize ? std::string() : std::move(assumed);
        }
        return objects;
    }

    void warn_assumed(const BuildUnit& unit) {
        diagnostics_
            .warning("assumed-units", {},
                     fmt::format("{} cannot be built: what it applies is read as it lies there",
                                 unit.name))
            .where(unit.dir)
            .found(unit.unbuilt)
            .expected("no patch that suspends, moves or changes an object of Flux or Argo CD")
            .hint(unit.unbuilt.empty() ? "install kustomize, or name one with --kustomize"
                                       : "the engine applies nothing of it until it is mended");
    }

    // A child of the same cluster, unless it says another.
    void adopt(const BuildUnit& parent, std::size_t index, BuildUnit& child) const {
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
    }

    GitOpsTree& repository_;
    KustomizationReader& reader_;
    const LoadOptions& options_;
    Diagnostics& diagnostics_;
    ApplicationSets sets_;
    UnitBuilder builder_;
    std::vector<Candidate> candidates_;
    std::vector<BuildUnit> units_;
    std::vector<std::size_t> assumed_;  // units that were not built
    std::map<std::string, std::set<std::string>>
        builds_;  // files of kustomizations that were asked for
    std::set<std::tuple<std::string, std::string, std::string>> known_;
};

}  // namespace

std::vector<BuildUnit> plan_units(GitOpsTree& repository, KustomizationReader& reader,
                                  SourceMap& sources, const LoadOptions& options,
                                  Diagnostics& diagnostics) {
    return Planner(repository, reader, sources, options, diagnostics).run();
}

}  // namespace renderer
