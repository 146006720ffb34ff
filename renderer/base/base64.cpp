#include "renderer/base/base64.h"

#include <algorithm>
#include <cstdint>

namespace renderer::inline base {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? kAlphabet[group >> (18U - 6U * k) & 63U] : '=';
        }
    }
    return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            continue;
        }
        const std::size_t digit = kAlphabet.find(c);
        padding += c == '=' ? 1 : 0;
        if (c != '=' && (digit == std::string_view::npos || padding > 0)) {
            return std::nullopt;
        }
        bits = (bits << 6U) | (c == '=' ? 0U : static_cast<std::uint32_t>(digit));
        if (++digits % 4 == 0) {
            for (const unsigned shift : {16U, 8U, 0U}) {
                bytes += static_cast<char>((bits >> shift) & 0xffU);
            }
            bits = 0;
        }
    }
    if (digits % 4 != 0 || padding > 2) {
        return std::nullopt;
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

}  // namespace renderer::inline base
