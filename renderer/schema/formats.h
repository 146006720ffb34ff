// Formats of text that the API server decodes: RFC 3339 times and CIDR blocks. Sources: Go time,
// net.
#pragma once

#include <string_view>

namespace renderer::schema {

// True for "2026-01-02T15:04:05.999+01:00".
bool is_rfc3339(std::string_view text);

// True for "10.0.0.0/8" and "fd00::/8"; bits after the prefix may be set.
bool is_cidr(std::string_view text);

}  // namespace renderer::schema
