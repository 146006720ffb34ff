#include "renderer/base/markup.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"

namespace renderer::inline base {
namespace {

// Calls `append(character, bytes, out)` for each character of the text on one line.
template <typename Append>
std::string each_character(std::string_view text, const Append& append) {
    const std::string line = on_one_line(text);
    std::string out;
    out.reserve(line.size());
    for (std::size_t at = 0; at < line.size();) {
        const CharacterAt character = character_at(line, at);
        append(character.code, std::string_view(line).substr(at, character.size), out);
        at += character.size;
    }
    return out;
}

bool is_any_of(std::uint32_t code, std::string_view characters) {
    return code < 0x80 && characters.find(static_cast<char>(code)) != std::string_view::npos;
}

bool is_word_character(std::uint32_t code) {
    return code < 0x80 && is_alphanumeric(static_cast<char>(code));
}

}  // namespace

std::string xml_text(std::string_view text) {
    return each_character(text, [](std::uint32_t code, std::string_view bytes, std::string& out) {
        if (is_any_of(code, "&<>\"'")) {
            fmt::format_to(std::back_inserter(out), "&#{};", code);
        } else if ((code & 0xFFFEU) == 0xFFFEU) {  // U+FFFE and U+FFFF are not characters of XML
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
        } else {
            out += bytes;
        }
    });
}

std::string mermaid_text(std::string_view text) {
    return each_character(text, [](std::uint32_t code, std::string_view bytes, std::string& out) {
        if (is_word_character(code) || is_any_of(code, " /.,-_()")) {
            out += bytes;
        } else {
            fmt::format_to(std::back_inserter(out), "#{};", code);
        }
    });
}

std::string dot_text(std::string_view text) {
    return each_character(text, [](std::uint32_t code, std::string_view bytes, std::string& out) {
        if (is_any_of(code, "\"\\")) {
            out += '\\';
        }
        out += code == '&' ? std::string_view("&amp;") : bytes;
    });
}

std::string markdown_text(std::string_view text) {
    return each_character(text, [](std::uint32_t code, std::string_view bytes, std::string& out) {
        if (is_word_character(code) || code >= 0x80 || is_any_of(code, " ,-")) {
            out += bytes;
        } else {
            fmt::format_to(std::back_inserter(out), "&#{};", code);
        }
    });
}

std::string shortened(std::string_view text, std::size_t most) {
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size(); ++count) {
        const std::size_t next = end + character_at(text, end).size;
        if (count + 1 == most && next < text.size()) {
            return fmt::format("{}…", text.substr(0, end));
        }
        end = next;
    }
    return std::string(text);
}

}  // namespace renderer::inline base
