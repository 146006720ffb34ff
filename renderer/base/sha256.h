// SHA-256, for names, config hashes, kustomize's name suffixes and the hashes that replace secret
// values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace renderer::inline base {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// HMAC of RFC 2104.
Sha256 hmac_sha256(std::string_view key, std::string_view message);

// 64 lower-case hexadecimal digits.
std::string hex(const Sha256& digest);
std::string sha256_hex(std::string_view bytes);

}  // namespace renderer::inline base
