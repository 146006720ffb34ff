// Base64 as Kubernetes writes the `data` of a Secret: RFC 4648 section 4, with padding, one line.
#pragma once

#include <string>
#include <string_view>

namespace renderer {

std::string encode_base64(std::string_view bytes);

}  // namespace renderer
