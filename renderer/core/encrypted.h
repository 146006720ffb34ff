// Documents that SOPS or git-crypt encrypted as a whole: not even their kind can be read. They are
// passed through unchanged. Sources: https://getsops.io/docs/#encrypting-only-parts-of-a-file,
// git-crypt doc/
#pragma once

#include <string_view>

namespace renderer::inline core {

inline constexpr std::string_view kEncrypted = "ENC[";  // begins a value that SOPS encrypts
// Begins a file that git-crypt encrypts.
inline constexpr std::string_view kGitCrypt{"\0GITCRYPT\0", 10};

constexpr bool is_encrypted_text(std::string_view text) {
    return text.starts_with(kEncrypted);
}

}  // namespace renderer::inline core
