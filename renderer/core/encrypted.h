// Documents that SOPS encrypted as a whole: not even their kind can be read. They are passed
// through unchanged. Source: https://getsops.io/docs/#encrypting-only-parts-of-a-file
#pragma once

#include <string_view>

namespace renderer::inline core {

// True for a value that SOPS encrypted: they all begin like this.
constexpr bool is_encrypted_text(std::string_view text) {
    return text.starts_with("ENC[");
}

}  // namespace renderer::inline core
