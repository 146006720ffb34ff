// Documents that SOPS encrypted as a whole: not even their kind can be read. They are passed
// through unchanged. Source: https://getsops.io/docs/#encrypting-only-parts-of-a-file
#pragma once

#include <string_view>

namespace renderer::inline core {

inline constexpr std::string_view kEncrypted = "ENC[";  // begins a value that SOPS encrypts

constexpr bool is_encrypted_text(std::string_view text) {
    return text.starts_with(kEncrypted);
}

}  // namespace renderer::inline core
