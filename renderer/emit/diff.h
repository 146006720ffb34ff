// A unified diff of two texts with three lines of context, like git's. Used by `check` and for
// failing golden cases.
#pragma once

#include <string>
#include <string_view>

namespace renderer::emit {

// Returns "" if the texts are equal. The names follow `---` and `+++`.
std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text);

}  // namespace renderer::emit
