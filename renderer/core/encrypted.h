// Documents that SOPS has encrypted as a whole: not even their kind can be read. They pass as they
// are. Source: https://getsops.io/docs/#encrypting-only-parts-of-a-file
#pragma once

#include <string_view>

namespace renderer {

// So begins every value that it encrypts.
constexpr bool is_encrypted_text(std::string_view text) {
    return text.starts_with("ENC[");
}

}  // namespace renderer
