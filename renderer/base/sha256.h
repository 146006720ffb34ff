// SHA-256: names, config hashes and kustomize's name suffixes are made of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace renderer {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// Lower-case hex digits, 64 of them.
std::string sha256_hex(std::string_view bytes);

}  // namespace renderer
