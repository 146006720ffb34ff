// Implicit keys of YAML's block style: https://yaml.org/spec/1.2.2/#822-block-mappings
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

// Whether `text` begins with a key whose colon is on the same line, behind what anchors, tags
// and quotes it may have.
bool begins_with_implicit_key(std::string_view text);

// How many bytes the quoted text takes that `text` begins with, both quotes included; npos when
// nothing closes it.
std::size_t quoted_size(std::string_view text);

}  // namespace renderer
