#include "renderer/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "renderer/base/check.h"

namespace renderer::inline base {

Sha256 sha256(std::string_view bytes) {
    // EVP_sha256() would be looked up again for every digest.
    static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    Sha256 digest;
    unsigned size = 0;
    const int done =
        EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kAlgorithm, nullptr);
    CHECK(done == 1 && size == digest.size());
    return digest;
}

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
    Sha256 digest;
    unsigned size = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
    CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, message.size(),
               digest.data(), &size) != nullptr);
    return digest;
}

std::string hex(const Sha256& digest) {
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_hex(std::string_view bytes) {
    return hex(sha256(bytes));
}

}  // namespace renderer::inline base
