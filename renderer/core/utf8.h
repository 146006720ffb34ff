// UTF-8 checks, without a library: yaml-cpp replaces bad bytes silently.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or npos.
std::size_t find_bad_utf8(std::string_view text);

}  // namespace renderer
