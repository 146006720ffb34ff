#include "renderer/load/roots/liveness.h"

#include <algorithm>
#include <utility>

namespace renderer {

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

bool has_content(const BuildUnit& unit) {
    const Liveness liveness = liveness_of(unit);
    return liveness == Liveness::Applied || liveness == Liveness::Kept;
}

bool are_applied(const std::vector<BuildUnit>& units) {
    return std::ranges::any_of(units, [](const BuildUnit& unit) {
        return unit.rest == UnitRest::Chart ||
               (!unit.is_chart_root && liveness_of(unit) != Liveness::Absent);
    });
}

bool is_rendered(const BuildUnit& unit, bool skips_kept) {
    return skips_kept ? liveness_of(unit) == Liveness::Applied : has_content(unit);
}

void keep(BuildUnit& unit, std::string reason) {
    // One that is suspended stops at nothing: what is wrong with it is no error yet.
    if (liveness_of(unit) == Liveness::Applied || liveness_of(unit) == Liveness::Broken) {
        unit.state = UnitState::Kept;
        unit.reason = std::move(reason);
    }
}

}  // namespace renderer
