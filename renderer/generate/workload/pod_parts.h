// Small parts of pods that the workloads of proxies and of groups share.
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// Names of variables and fields are static text.
Value env(std::string_view name, std::string_view value);
Value env_from_field(std::string_view name, std::string_view field);

// `item`: the only key that is mounted; "" for all.
Value secret_volume(std::string_view name, std::string_view secret, std::string_view item);
Value read_only_mount(std::string_view name, std::string_view path);

// Switches on IP forwarding before a proxy starts that routes packets.
Value sysctl_container(std::string_view image);

}  // namespace renderer
