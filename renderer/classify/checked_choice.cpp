#include "renderer/classify/checked_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace renderer::classify {

Diagnostic unknown_choice(const TextInput& found, std::string_view path,
                          const std::vector<std::string_view>& names) {
    const std::string_view near = nearest(found.text, names);
    return {.rule = "invalid-object",
            .pos = found.pos,
            .message = fmt::format("invalid value of \"{}\"", path),
            .found = fmt::format("\"{}\"", found.text),
            .expected = fmt::format("one of {{ {} }}", fmt::join(names, ", ")),
            .hint = did_you_mean(near)};
}

}  // namespace renderer::classify
