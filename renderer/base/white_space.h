// Trims the characters of Unicode's property White_Space, as Go's strings.TrimSpace does.
#pragma once

#include <string_view>

namespace renderer::inline base {

// Returns `text` (UTF-8) without leading white space.
std::string_view trim_front(std::string_view text);

// Returns it without leading and trailing white space.
std::string_view trim(std::string_view text);

}  // namespace renderer::inline base
