#include "runtime/controller/view/static_endpoints.h"

#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::Value;

std::optional<StaticEndpoints> decode_static_endpoints(const Value& secret) {
    StaticEndpoints found{static_endpoints(
        secret_datum(secret, renderer::config_datum(renderer::kGroupCapability)).value_or(""))};
    return found.addresses.empty() ? std::nullopt : std::optional(std::move(found));
}

std::vector<std::string> static_endpoints(std::string_view config) {
    constexpr std::string_view kField = "StaticEndpoints";
    if (config.find(kField) == std::string_view::npos) {
        return {};  // most have none, and need not be parsed
    }
    const auto json = renderer::read_json(config);
    return texts_of(json ? json->find(kField) : nullptr);
}

}  // namespace runtime::controller
