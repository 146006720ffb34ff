#include "renderer/engines/applied_unit.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/engines/standing.h"

namespace renderer::engines {

std::shared_ptr<const AppliedUnit> no_unit() {
    static const std::shared_ptr<const AppliedUnit> none = std::make_shared<const AppliedUnit>();
    return none;
}

AppliedUnit unit_of_object(const AppliedUnit& unit, std::string_view object, std::string kept) {
    return {.name = unit.name,
            .path = fmt::format("{}{}{}", unit.path, unit.path.empty() ? "" : kAbove, object),
            .cluster = unit.cluster,
            .kept = std::move(kept),
            .is_argo = object.starts_with("Application/")};
}

}  // namespace renderer::engines
