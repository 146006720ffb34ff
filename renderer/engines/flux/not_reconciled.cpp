#include "renderer/engines/flux/not_reconciled.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"

namespace renderer::engines {

std::string why_not_reconciled(const Value& object) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kReasons = {
        {{"kustomize.toolkit.fluxcd.io/reconcile", "disabled"},
         {"kustomize.toolkit.fluxcd.io/ssa", "ignore"}}};
    for (const std::string_view field : {"labels", "annotations"}) {
        for (const auto& [key, value] : kReasons) {
            const std::string_view text = text_of(object, {"metadata", field, key});
            if (lower_case(text) == value) {
                return fmt::format("{}: {}", key, text);
            }
        }
    }
    return {};
}

}  // namespace renderer::engines
