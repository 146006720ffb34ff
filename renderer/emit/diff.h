// A unified diff of two texts, for `check` and for failing golden cases. Shortest edit script
// (Myers, 1986) with three lines of context; texts that differ in more than a few thousand lines
// are shown as one replacement, so that time and memory stay bounded.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

// Empty when the texts are equal. The names stand after `---` and `+++`.
std::string unified_diff(std::string_view old_name, std::string_view new_name,
                         std::string_view old_text, std::string_view new_text);

}  // namespace renderer
