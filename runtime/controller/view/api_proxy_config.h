// The configuration of a pod that serves the Kubernetes API by the stock program, which holds the
// pod's key: a text of JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runtime::controller {

// The key goes behind it.
inline constexpr std::string_view kVersionField = "Version";

// With the key.
std::string complete_config(std::string_view config, std::string_view key);
std::string advertise(std::string_view config, const std::vector<std::string>& services);
// Without its key; "" when it is none.
std::string config_without_key(std::string_view config);

}  // namespace runtime::controller
