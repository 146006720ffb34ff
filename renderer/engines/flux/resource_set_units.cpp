#include "renderer/engines/flux/resource_set_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/resource_set.h"
#include "renderer/engines/liveness.h"

namespace renderer::engines {

std::vector<BuildUnit> units_of_resource_set(
    const EngineObject& set, const std::vector<const Value*>& providers,
    const std::function<std::vector<BuildUnit>(const EngineObject&)>& units_of, int depth) {
    const std::string mark = why_set_is_disabled(set.root);
    std::vector<BuildUnit> units;
    MadeObjects made = expand_resource_set(set.root, providers);
    for (Value& object : made.objects) {
        const bool is_set = is_resource_set(object);
        if (is_set && depth == kDeepestSet) {
            made.unresolved = kTooDeep;
            continue;
        }
        const EngineObject one{set.file, std::move(object)};
        std::ranges::move(
            is_set ? units_of_resource_set(one, providers, units_of, depth + 1) : units_of(one),
            std::back_inserter(units));
    }
    if (!made.unresolved.empty() &&
        (resources_mention(set.root, kFluxGroup) || resources_mention(set.root, kArgoGroup))) {
        BuildUnit& rest = units.emplace_back();
        rest.name = fmt::format("ResourceSet {}", text_of(set.root, {"metadata", "name"}));
        rest.file = set.file;
        rest.is_flux = true;
        rest.state = UnitState::Unresolved;
        rest.rest = UnitRest::Set;
        rest.reason = std::move(made.unresolved);
        rest.pos = set.root.find("kind")->pos();
    }
    for (BuildUnit& unit : units) {
        if (!mark.empty()) {
            keep(unit, mark);
        }
    }
    return units;
}

}  // namespace renderer::engines
