#include "renderer/secrets/secret_hash.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstddef>

#include "renderer/base/check.h"

namespace renderer {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kShownBytes = 8;

std::string_view bytes_of(const Sha256& hash) {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
    std::string block(key);
    if (block.size() > kBlock) {
        block = bytes_of(sha256(key));
    }
    block.resize(kBlock, '\0');
    std::string inner;
    std::string outer;
    for (const char c : block) {
        inner += static_cast<char>(c ^ 0x36);
        outer += static_cast<char>(c ^ 0x5c);
    }
    inner += message;
    outer += bytes_of(sha256(inner));
    return sha256(outer);
}

std::string SecretHash::operator()(std::string_view secret) const {
    const Sha256 hash = hmac_sha256(key_, secret);
    std::string digits;
    for (std::size_t i = 0; i < kShownBytes; ++i) {
        digits += fmt::format("{:02x}", hash[i]);
    }
    return fmt::format("(secret hmac:{})", digits);
}

std::string random_key() {
    std::string key(32, '\0');
    std::size_t filled = 0;
    while (filled < key.size()) {
        const ssize_t got = ::getrandom(key.data() + filled, key.size() - filled, 0);
        CHECK(got > 0 || errno == EINTR);
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    return key;
}

}  // namespace renderer
