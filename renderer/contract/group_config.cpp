#include "renderer/contract/group_config.h"

#include <fmt/format.h>

namespace renderer::inline contract {

std::string egress_config_name(std::string_view group) {
    return fmt::format("{}{}", group, kEgressConfigSuffix);
}

std::string ingress_config_name(std::string_view group) {
    return fmt::format("{}{}", group, kIngressConfigSuffix);
}

std::string group_config_file(std::string_view datum) {
    return fmt::format("{}/{}", kGroupConfigFolder, datum);
}

}  // namespace renderer::inline contract
