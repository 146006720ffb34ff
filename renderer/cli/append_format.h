// Appends to a text what fmt makes of a format and its arguments.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace renderer {

template <typename... Args>
void append_format(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

}  // namespace renderer
