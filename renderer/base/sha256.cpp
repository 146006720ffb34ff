#include "renderer/base/sha256.h"

#include <openssl/evp.h>

#include "renderer/base/check.h"

namespace renderer {

Sha256 sha256(std::string_view bytes) {
    Sha256 digest;
    unsigned size = 0;
    const int done =
        EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    CHECK(done == 1 && size == digest.size());
    return digest;
}

std::string sha256_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : sha256(bytes)) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

}  // namespace renderer
