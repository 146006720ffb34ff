// Implicit keys of YAML's block style: https://yaml.org/spec/1.2.2/#822-block-mappings
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline core {

// True if `text` begins with a key whose colon is on the same line. Anchors and tags may precede
// the key, and it may be quoted.
bool begins_with_implicit_key(std::string_view text);

// Returns the size in bytes, including both quotes, of the quoted text at the start of `text`; npos
// if the closing quote is missing.
std::size_t quoted_size(std::string_view text);

}  // namespace renderer::inline core
