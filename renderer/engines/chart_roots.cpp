#include "renderer/engines/chart_roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/helm_release.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/unit_content.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

bool makes_engine_objects(const GitOpsTree& repository, const BuildUnit& unit) {
    const std::string templates = repo::join_path(unit.dir, "templates");
    return std::ranges::any_of(unit.claims, [&](const std::string& path) {
        const Result<std::string> text =
            repo::is_within(path, templates) ? repository.tree().read(path) : Result(std::string());
        return text && may_hold_engine(*text) &&
               (text->find("Application") != std::string::npos ||
                text->find(kFluxGroup) != std::string::npos);
    });
}

Value as_application(const repo::WalkedDir& dir) {
    Value metadata = Value::map();
    metadata.put("name", repo::base_name(dir.path));
    Value object = Value::map({{"kind", "Chart"}});
    object.put("metadata", std::move(metadata));
    return object;
}

// Returns the HelmReleases of the tree that install charts of this repository, by directory.
std::multimap<std::string, EngineObject> releases_of_own_charts(const GitOpsTree& repository) {
    std::multimap<std::string, EngineObject> found;
    for (const auto& [path, mentions] : repository.mentions()) {
        Result<std::string> text = repository.tree().read(path);
        if (!text || text->find(kHelmGroup) == std::string::npos) {
            continue;
        }
        for (EngineObject& object : repository.read(path, std::move(*text))) {
            const std::string_view ns = text_of(object.root, {"metadata", "namespace"});
            if (!is_kind(object.root, kHelmGroup, "HelmRelease")) {
                continue;
            }
            const ChartRelease release = release_of_helm_release(object.root, ns);
            if (!release.source.empty() &&
                repository.flux_sources().is_own("GitRepository", release.source)) {
                found.emplace(repository.directory(release.chart), std::move(object));
            }
        }
    }
    return found;
}

// Returns the chart as each HelmRelease installs it, or with its default values if none does.
std::vector<BuildUnit> installed(const BuildUnit& chart,
                                 const std::multimap<std::string, EngineObject>& releases) {
    std::vector<BuildUnit> units;
    const auto [first, last] = releases.equal_range(chart.dir);
    for (auto one = first; one != last; ++one) {
        BuildUnit& unit = units.emplace_back(chart);
        const Value& object = one->second.root;
        unit.file = one->second.file;
        unit.name = fmt::format("HelmRelease {}/{}", text_of(object, {"metadata", "namespace"}),
                                text_of(object, {"metadata", "name"}));
        unit.chart = std::make_shared<const ChartUnit>(
            ChartUnit{.application = object.clone(), .source = Value::map()});
        if (release_of_helm_release(object, "").is_suspended) {
            keep(unit, "spec.suspend is true");
        }
    }
    if (units.empty()) {
        units.push_back(chart);
    }
    return units;
}

}  // namespace

bool may_change(const GitOpsTree& repository, const BuildUnit& unit, const std::string& file) {
    const auto has_variable = [&] {
        const Result<std::string> text = repository.tree().read(file);
        return text && text->find("${") != std::string::npos;
    };
    return unit.is_patched || (unit.variables != nullptr && has_variable()) ||
           std::ranges::any_of(unit.claims, [&](const std::string& path) {
               return repo::is_kustomization_name(repo::base_name(path)) &&
                      may_change_objects(repository.tree(), path);
           });
}

std::string chart_file(const BuildUnit& chart) {
    return repo::join_path(chart.dir, "Chart.yaml");
}

std::vector<BuildUnit> topmost_charts(std::vector<BuildUnit> charts,
                                      const std::vector<std::set<std::string>>& made) {
    std::vector<BuildUnit> kept;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        bool is_made = !charts[i].is_chart_root;
        for (std::size_t j = 0; j < charts.size(); ++j) {
            const bool is_mutual = i < j && made[i].contains(chart_file(charts[j]));
            is_made = is_made || (i != j && !is_mutual && made[j].contains(chart_file(charts[i])));
        }
        if (!is_made) {
            kept.push_back(charts[i]);
        }
    }
    return kept;
}

BuildUnit unknown_chart(const std::vector<BuildUnit>& units, std::size_t parent,
                        std::string_view chart, std::string why) {
    BuildUnit unknown;
    unknown.name = fmt::format("chart {}", chart);
    unknown.parent = parent;
    if (parent != SIZE_MAX) {
        unknown.file = units[parent].file;
        unknown.cluster = units[parent].cluster;
    }
    unknown.state = UnitState::Unresolved;
    unknown.rest = UnitRest::Chart;
    unknown.reason = std::move(why);
    return unknown;
}

std::vector<BuildUnit> charts_of_engines(const GitOpsTree& repository,
                                         KustomizationReader& reader) {
    std::vector<BuildUnit> found;
    std::optional<std::multimap<std::string, EngineObject>> releases;
    for (const repo::WalkedDir* dir : repository.dirs()) {
        const repo::WalkedDir* above = repository.find(repo::parent_path(dir->path));
        if (!dir->has_chart || dir->is_outside ||
            (above != nullptr && above != dir && above->in_chart)) {
            continue;
        }
        BuildUnit unit;
        unit.name = fmt::format("chart {}", dir->relative.empty() ? "." : dir->relative);
        unit.dir = dir->path;
        unit.file = chart_file(unit);
        unit.files = UnitFiles::Directory;
        unit.is_chart_root = true;
        unit.chart = std::make_shared<const ChartUnit>(
            ChartUnit{.application = as_application(*dir), .source = Value::map()});
        find_content(repository, reader, unit);
        if (makes_engine_objects(repository, unit)) {
            releases = releases ? std::move(releases) : releases_of_own_charts(repository);
            std::ranges::move(installed(unit, *releases), std::back_inserter(found));
        }
    }
    return found;
}

}  // namespace renderer::engines
