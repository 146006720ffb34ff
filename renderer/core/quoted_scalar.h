// Writes any string in double quotes on one line, so that it is read back as the same string
// anywhere in a YAML document.
#pragma once

#include <string>
#include <string_view>

namespace renderer::inline core {

std::string quoted_scalar(std::string_view text);

}  // namespace renderer::inline core
