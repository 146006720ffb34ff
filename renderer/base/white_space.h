// The characters of Unicode's property White_Space, as Go's strings.TrimSpace takes them off.
#pragma once

#include <string_view>

namespace renderer {

// `text` (UTF-8) without white space at its front.
std::string_view trim_front(std::string_view text);

// Without white space at both ends.
std::string_view trim(std::string_view text);

}  // namespace renderer
