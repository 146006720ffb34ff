// The grammar of a tag, as the operator checks it before it requests an auth key. Source: tailscale
// v1.96.5 tailcfg.CheckTag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace renderer::plan {

// Returns what is wrong with a (trimmed) tag, as static text; "" if it is valid.
std::string_view tag_error(std::string_view tag);

// Splits at commas and trims white space (Unicode's) around each part. An empty text has no parts.
std::vector<std::string> split_tags(std::string_view text);

}  // namespace renderer::plan
