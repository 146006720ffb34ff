// Appends formatted text to a string.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "renderer/base/printable.h"

namespace renderer::cli {

template <typename... Args>
void append_format(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

template <typename T>
auto one_line_argument(const T& argument) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return on_one_line(argument);
    } else {
        return argument;
    }
}

// Like append_format, for text that people read. Arguments, which may be names that someone else
// chose, are put on one line, so only the format adds line breaks.
template <typename... Args>
void append_names_to(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    const fmt::string_view text = format;
    fmt::format_to(std::back_inserter(out), fmt::runtime(text), one_line_argument(args)...);
}

}  // namespace renderer::cli
