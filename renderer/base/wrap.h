// Breaks lines that are wider than a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace renderer::inline base {

// Breaks each line at spaces, so that it has at most `width` characters where words allow it. What
// follows a break begins with `indent` spaces. Our own colours have no width. Width 0 changes
// nothing.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace renderer::inline base
