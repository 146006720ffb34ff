// A unified diff of two texts with three lines of context, as git makes it, for `check` and for
// failing golden cases.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// Empty when the texts are equal. The names stand after `---` and `+++`.
std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text);

}  // namespace renderer
