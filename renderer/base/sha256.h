// SHA-256: names, config hashes, kustomize's name suffixes and what stands for secrets are made of
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace renderer {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// RFC 2104.
Sha256 hmac_sha256(std::string_view key, std::string_view message);

// Lower-case digits, 64 of them.
std::string hex(const Sha256& digest);
std::string sha256_hex(std::string_view bytes);

}  // namespace renderer
