#include "renderer/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace renderer::inline base {

namespace {

// Returns the length of the well-formed sequence at the front, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || text.size() < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(text[i])) {
            return 0;
        }
    }
    const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0U;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    const bool too_large = lead == 0xF4 && second >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

// 1 = not allowed, 2 = part of a longer sequence, 3 = fine before a line feed, 0 = fine.
constexpr std::array<std::uint8_t, 256> kClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t byte = 0; byte < classes.size(); ++byte) {
        const bool control =
            (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
        classes[byte] = control ? 1 : byte >= 0x80 ? 2 : byte == '\r' ? 3 : 0;
    }
    return classes;
}();

// True for C1 control characters except U+0085, and for U+FFFE and U+FFFF.
bool is_forbidden(std::string_view sequence) {
    if (sequence.size() == 2) {
        return sequence[0] == '\xC2' && sequence[1] < '\xA0' && sequence[1] != '\x85';
    }
    return sequence.size() == 3 && sequence.starts_with("\xEF\xBF") && sequence[2] >= '\xBE';
}

}  // namespace

std::size_t count_characters(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::size_t find_bad_character(std::string_view text) {
    std::uint8_t seen = 0;
    for (const char c : text) {
        seen |= kClasses[static_cast<unsigned char>(c)];
    }
    for (std::size_t i = seen == 0 ? text.size() : 0; i < text.size();) {
        const std::uint8_t kind = kClasses[static_cast<unsigned char>(text[i])];
        const std::size_t length = kind == 2 ? sequence_length(text.substr(i)) : 1;
        const bool lone_return = kind == 3 && text.substr(i, 2) != "\r\n";
        if (kind == 1 || lone_return || length == 0 || is_forbidden(text.substr(i, length))) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

std::size_t find_bad_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t word = 0;
        if (text.size() - i >= sizeof(word)) {
            std::memcpy(&word, text.data() + i, sizeof(word));
            if ((word & 0x8080808080808080ULL) == 0) {
                i += sizeof(word);
                continue;
            }
        }
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

}  // namespace renderer::inline base
