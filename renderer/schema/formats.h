// Texts that the API server decodes into something else: RFC 3339 times, CIDR blocks. Sources: Go
// time, net.
#pragma once

#include <string_view>

namespace renderer {

// "2026-01-02T15:04:05.999+01:00".
bool is_rfc3339(std::string_view text);

// "10.0.0.0/8", "fd00::/8"; bits behind the prefix may be set.
bool is_cidr(std::string_view text);

}  // namespace renderer
