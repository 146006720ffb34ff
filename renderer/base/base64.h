// Base64 as Kubernetes writes the `data` of a Secret: RFC 4648 section 4, with padding, one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renderer::inline base {

std::string encode_base64(std::string_view bytes);
// Ignores line breaks. Returns nothing if the text is not base64 otherwise.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace renderer::inline base
