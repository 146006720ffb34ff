#include "renderer/secrets/secret_hash.h"

#include <fmt/format.h>
#include <unistd.h>

#include "renderer/base/check.h"
#include "renderer/base/sha256.h"

namespace renderer::secrets {

std::string SecretHash::operator()(std::string_view secret) const {
    constexpr std::size_t kShownDigits = 16;
    return fmt::format("(secret hmac:{})", hex(hmac_sha256(key_, secret)).substr(0, kShownDigits));
}

std::string random_key() {
    std::string key(32, '\0');
    CHECK(::getentropy(key.data(), key.size()) == 0);
    return key;
}

}  // namespace renderer::secrets
