#include "renderer/base/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"

namespace renderer::inline base {
namespace {

struct Range {
    std::uint32_t first, last;
};

// Unicode's categories Cc, Zl and Zp, and those characters of other categories that change the
// direction of text, are invisible or are ignored when texts are compared.
constexpr std::array kUnprintable = {
    Range{0x00, 0x1F},     Range{0x7F, 0x9F},       Range{0xAD, 0xAD},       Range{0x61C, 0x61C},
    Range{0x180E, 0x180E}, Range{0x200B, 0x200F},   Range{0x2028, 0x202E},   Range{0x2060, 0x206F},
    Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},   Range{0xE0000, 0xE007F}, Range{0x34F, 0x34F},
    Range{0x115F, 0x1160}, Range{0x17B4, 0x17B5},   Range{0x2800, 0x2800},   Range{0x3164, 0x3164},
    Range{0xFFA0, 0xFFA0}, Range{0xE0100, 0xE01EF},
};

// The ASCII blank and what .NET's Trim removes: GitHub's runner trims a line before it looks for
// commands.
constexpr std::array kBlanks = {
    Range{0x20, 0x20},     Range{0x09, 0x09},     Range{0xA0, 0xA0},     Range{0x1680, 0x1680},
    Range{0x2000, 0x200A}, Range{0x202F, 0x202F}, Range{0x205F, 0x205F}, Range{0x3000, 0x3000},
};

// True for the printable characters of ASCII, which most texts are made of.
bool is_plain(char c) {
    return c >= ' ' && c <= '~';
}

// Returns the end of the plain text at `at`.
std::size_t plain_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_plain(text[at])) {
        ++at;
    }
    return at;
}

template <std::size_t N>
bool is_among(const std::array<Range, N>& ranges, std::uint32_t code) {
    return std::ranges::any_of(
        ranges, [code](const Range& range) { return range.first <= code && code <= range.last; });
}

constexpr std::array<std::string_view, 10> kColorCodes = {
    "\x1b[0m",    "\x1b[1m",    "\x1b[31m",   "\x1b[32m",      "\x1b[33m",
    "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1;37;41m", "\x1b[2m"};

void append_escaped(const CharacterAt& character, std::string& out) {
    constexpr std::string_view kBytes = "\n\r\t";
    constexpr std::string_view kLetters = "nrt";
    const auto code = character.code;
    if (!character.is_utf8) {
        out += '?';
    } else if (const auto known = kBytes.find(static_cast<char>(code));
               code < 0x80 && known != std::string_view::npos) {
        out += {'\\', kLetters[known]};
    } else if (code > 0xFFFF) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}",
                       0xD800 + ((code - 0x10000) >> 10U), 0xDC00 + ((code - 0x10000) & 0x3FFU));
    } else {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    }
}

// Returns the size of the text before the bracket of a command at `at`: "##[command]" of GitHub or
// "##vso[…]" of Azure. Returns 0 if there is no command.
std::size_t log_command_at(std::string_view text, std::size_t at) {
    if (!text.substr(at).starts_with("##")) {
        return 0;
    }
    std::size_t end = at + 2;
    while (end < text.size() && is_letter(text[end])) {
        ++end;
    }
    return end < text.size() && text[end] == '[' ? end - at : 0;
}

class LineWriter {
public:
    LineWriter(std::string_view text, OwnColors colors) : text_(text), colors_(colors) {
        out_.reserve(text.size());
    }

    std::string write() {
        bool at_start = true;  // only blanks so far on this line
        for (std::size_t at = 0; at < text_.size();) {
            if (const std::size_t end = at_start ? at : words_end(at); end > at) {
                out_.append(text_, at, end - at);
                at = end;
                continue;
            }
            const CharacterAt character = character_at(text_, at);
            if (const std::size_t command = log_command_at(text_, at); command > 0) {
                out_.append(text_, at, command).append("\\u005b");
                at += command + 1;
                at_start = false;
                continue;
            }
            if (at_start && text_.substr(at).starts_with("::")) {
                out_ += "\\u003a";
            } else if (const std::size_t color = color_at(at); color > 0) {
                out_.append(text_, at, color);
                at += color;
                continue;
            } else if (character.printable || text_[at] == '\n' || text_[at] == '\t') {
                out_.append(text_, at, character.size);
            } else {
                append_escaped(character, out_);
            }
            at_start = text_[at] == '\n' || (at_start && is_among(kBlanks, character.code));
            at += character.size;
        }
        return std::move(out_);
    }

private:
    // Returns the end of the plain text at `at`, or the "#" with which a command could begin.
    std::size_t words_end(std::size_t at) const {
        while (at < text_.size() && is_plain(text_[at]) && text_[at] != '#') {
            ++at;
        }
        return at;
    }

    std::size_t color_at(std::size_t at) const {
        if (colors_ == OwnColors::No || text_[at] != '\x1b') {
            return 0;
        }
        const auto found = std::ranges::find_if(
            kColorCodes, [&](std::string_view code) { return text_.substr(at).starts_with(code); });
        return found != kColorCodes.end() ? found->size() : 0;
    }

    std::string_view text_;
    OwnColors colors_;
    std::string out_;
};

}  // namespace

CharacterAt character_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const std::string_view whole = text.substr(at, size);
    if (first >= 0x80 && (whole.size() < size || find_bad_utf8(whole) != std::string_view::npos)) {
        return {.size = 1, .printable = false, .code = first, .is_utf8 = false};
    }
    std::uint32_t code = size == 1 ? first : first & (0x7FU >> size);
    for (const char next : whole.substr(1)) {
        code = (code << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
    }
    return {.size = size, .printable = !is_among(kUnprintable, code), .code = code};
}

bool is_printable(std::string_view text) {
    for (std::size_t at = plain_end(text, 0); at < text.size(); at = plain_end(text, at)) {
        const CharacterAt character = character_at(text, at);
        if (!character.printable) {
            return false;
        }
        at += character.size;
    }
    return true;
}

std::string on_one_line(std::string_view text) {
    std::size_t at = plain_end(text, 0);
    std::string out(text.substr(0, at));
    while (at < text.size()) {
        const CharacterAt character = character_at(text, at);
        if (character.printable) {
            out.append(text, at, character.size);
        } else {
            append_escaped(character, out);
        }
        at += character.size;
    }
    return out;
}

std::string as_lines(std::string_view text, OwnColors colors) {
    return LineWriter(text, colors).write();
}

bool is_path_component(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.size() <= kMaxPathComponent &&
           name.find('/') == std::string_view::npos && is_printable(name);
}

bool holds_variable(std::string_view name) {
    return name.find("${") != std::string_view::npos && is_path_component(name);
}

std::string some_of(std::span<const std::string> names, std::size_t most) {
    const std::size_t shown = std::min(names.size(), most);
    std::string text = fmt::format("{}", fmt::join(names.first(shown), ", "));
    return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

std::string shell_word(std::string_view word) {
    const bool is_home = word.starts_with('~') || word.find(":~") != std::string_view::npos ||
                         word.find("=~") != std::string_view::npos;
    const bool is_plain = !word.empty() && !is_home && std::ranges::all_of(word, [](char c) {
        return is_letter(c) || is_digit(c) ||
               std::string_view("_@%+=:,./~-").find(c) != std::string_view::npos;
    });
    const std::string_view prefix = word.starts_with('-') ? "./" : "";
    if (is_plain) {
        return std::string(prefix).append(word);
    }
    std::string quoted = fmt::format("'{}", prefix);
    for (const char c : word) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace renderer::inline base
