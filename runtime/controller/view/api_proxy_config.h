// The JSON configuration of a pod that serves the Kubernetes API with the stock program. It holds
// the pod's key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime::controller {

// The key is inserted after this field.
inline constexpr std::string_view kVersionField = "Version";

// Returns the configuration with the key.
std::string complete_config(std::string_view config, std::string_view key);
std::string advertise(std::string_view config, const std::vector<std::string>& services);
// Returns it without its key; "" if it is not a configuration.
std::string config_without_key(std::string_view config);

}  // namespace runtime::controller
