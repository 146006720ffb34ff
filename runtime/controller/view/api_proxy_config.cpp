#include "runtime/controller/view/api_proxy_config.h"

#include <initializer_list>

#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/value.h"

namespace runtime::controller {

using renderer::Member;
using renderer::Value;

namespace {

// Returns the map with `added` after the last of the fields `behind` that it has.
std::string insert_behind(std::string_view config, std::initializer_list<std::string_view> behind,
                          std::string_view field, const Value& added) {
    const auto json = renderer::read_json(config);
    if (!json || !json->is_map()) {
        return std::string(config);
    }
    std::string_view place;
    for (const std::string_view name : behind) {
        place = json->find(name) != nullptr ? name : place;
    }
    Value out = Value::map();
    for (const Member& member : json->members()) {
        out.add(member.key.clone(), member.value.clone());
        if (member.name() == place) {
            out.add(Value(field), added.clone());
        }
    }
    return renderer::write_json(out);
}

}  // namespace

std::string complete_config(std::string_view config, std::string_view key) {
    return key.empty()
               ? std::string(config)
               : insert_behind(config, {kVersionField}, renderer::kConfigKeyField, Value(key));
}

std::string advertise(std::string_view config, const std::vector<std::string>& services) {
    return services.empty() ? std::string(config)
                            : insert_behind(config, {"Hostname", "AcceptRoutes"},
                                            "AdvertiseServices", renderer::text_list(services));
}

std::string config_without_key(std::string_view config) {
    auto json = renderer::read_json(config);
    if (!json || !json->is_map()) {
        return {};
    }
    json->erase(renderer::kConfigKeyField);
    return renderer::write_json(*json);
}

}  // namespace runtime::controller
