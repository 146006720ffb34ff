#include "renderer/engines/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/repo/paths.h"

namespace renderer::engines {

Liveness liveness_of(const BuildUnit& unit) {
    switch (unit.state) {
        case UnitState::Live:
            return Liveness::Applied;
        case UnitState::Kept:
            return Liveness::Kept;
        case UnitState::Missing:
        case UnitState::Refused:
            return Liveness::Broken;
        case UnitState::Unresolved:
            return Liveness::Unknown;
        case UnitState::External:
        case UnitState::OtherCluster:
        case UnitState::LeftOver:
            return Liveness::Absent;
    }
    return Liveness::Unknown;
}

std::string_view word_of(UnitState state) {
    switch (state) {
        case UnitState::Live:
            return "live";
        case UnitState::Kept:
            return "kept";
        case UnitState::External:
            return "elsewhere";
        case UnitState::Missing:
            return "missing";
        case UnitState::Refused:
            return "refused";
        case UnitState::Unresolved:
            return "unresolved";
        case UnitState::OtherCluster:
            return "other cluster";
        case UnitState::LeftOver:
            return "left over";
    }
    return "";
}

bool has_content(const BuildUnit& unit) {
    const Liveness liveness = liveness_of(unit);
    return unit.rest == UnitRest::None &&
           (liveness == Liveness::Applied || liveness == Liveness::Kept);
}

bool are_applied(const std::vector<BuildUnit>& units) {
    return std::ranges::any_of(units, [](const BuildUnit& unit) {
        return unit.rest == UnitRest::Chart ||
               (!unit.is_chart_root && !unit.is_file && liveness_of(unit) != Liveness::Absent);
    });
}

bool is_rendered(const BuildUnit& unit, bool skips_kept) {
    return skips_kept ? liveness_of(unit) == Liveness::Applied : has_content(unit);
}

std::vector<Standing> standings_of(const std::vector<BuildUnit>& units) {
    std::vector<Standing> out;
    for (const BuildUnit& unit : units) {
        const bool is_built = unit.unbuilt.empty() || !has_content(unit);
        const bool is_met = unit.unmet.empty() || liveness_of(unit) != Liveness::Applied;
        out.push_back({.name = unit.name,
                       .liveness = !is_built ? Liveness::Broken
                                   : is_met  ? liveness_of(unit)
                                             : Liveness::Kept,
                       .reason = !is_built ? unit.unbuilt
                                 : is_met  ? unit.reason
                                           : unit.unmet.front().reason,
                       .is_external = unit.state == UnitState::External && !unit.chart,
                       .cluster = unit.cluster,
                       .text = unit.text});
    }
    // An engine that stops at a file applies nothing of the unit.
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i].is_file && units[i].parent != SIZE_MAX) {
            Standing& parent = out[units[i].parent];
            parent.liveness = Liveness::Broken;
            parent.reason = fmt::format("{} is refused: {}", units[i].name, units[i].reason);
        }
    }
    return out;
}

std::set<std::string> clusters_of(const std::vector<BuildUnit>& units, bool others) {
    std::set<std::string> clusters;
    for (const BuildUnit& unit : units) {
        if (unit.is_flux && unit.parent == SIZE_MAX &&
            (unit.state == UnitState::OtherCluster) == others) {
            clusters.insert(unit.cluster);
        }
    }
    return clusters;
}

std::string unit_path_of(const std::vector<BuildUnit>& units, const BuildUnit& unit) {
    const auto name_of = [](const BuildUnit& one) {
        return one.set.empty() ? one.name : fmt::format("{}{}{}", one.set, kAbove, one.name);
    };
    std::string path = name_of(unit);
    const BuildUnit* top = &unit;
    while (top->parent != SIZE_MAX) {
        top = &units[top->parent];
        path = fmt::format("{}{}{}", name_of(*top), kAbove, path);
    }
    return top->is_flux && !top->cluster.empty()
               ? fmt::format("{}{}{}{}", kClusterPrefix, top->cluster, kAbove, path)
               : path;
}

std::set<std::pair<std::string, std::string>> revisions_of(const std::vector<BuildUnit>& units,
                                                           const FluxRevisions& revisions,
                                                           const std::string& root) {
    std::set<std::string> applied;
    for (const BuildUnit& unit : units) {
        if (has_content(unit)) {
            applied.insert(unit.claims.begin(), unit.claims.end());
        }
    }
    std::set<std::pair<std::string, std::string>> found;
    for (const BuildUnit& unit : units) {
        if (!has_content(unit)) {
            continue;
        }
        const std::string cluster =
            unit.cluster.empty() ? std::string() : repo::path_inside(root, unit.cluster);
        const std::optional<std::string> revision =
            unit.git_source.empty() ? unit.revision
                                    : revisions.find(unit.git_source, unit.file, cluster, applied);
        if (revision != "") {
            found.emplace(unit_path_of(units, unit), revision.value_or(""));
        }
    }
    return found;
}

void keep(BuildUnit& unit, std::string reason) {
    // One that is suspended stops at nothing: what is wrong with it is not an error yet.
    if (liveness_of(unit) == Liveness::Applied || liveness_of(unit) == Liveness::Broken) {
        unit.state = UnitState::Kept;
        unit.reason = std::move(reason);
    }
}

}  // namespace renderer::engines
