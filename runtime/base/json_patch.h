// Operations of a JSON patch (RFC 6902) and their JSON pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/value.h"

namespace runtime::inline base {

// Escapes one token of a pointer: "tailscale.com/tags" -> "tailscale.com~1tags".
std::string pointer(std::string_view key);

renderer::Value operation(std::string_view op, const std::string& path, renderer::Value value);
renderer::Value removal(const std::string& path);

}  // namespace runtime::inline base
