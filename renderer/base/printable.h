// Makes text that others wrote safe for a terminal, the log of a CI job, a comment, a path or a
// shell. No character of it may move the cursor, reorder or hide the text around it, begin a line
// of its own, or be read as a command by the log's reader. This is not for documents:
// core/yaml_writer.h writes ours, and foreign ones stay as they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace renderer::inline base {

// True if the text is UTF-8 without C0 and C1 control characters, DEL, line separators, and
// characters that change the direction of text or are invisible.
bool is_printable(std::string_view text);

// The character at an offset, printable or not, and its size in bytes.
struct CharacterAt {
    std::size_t size = 1;
    bool printable = true;
    std::uint32_t code = 0;  // the code point, or the byte itself if it is not UTF-8
    bool is_utf8 = true;
};
CharacterAt character_at(std::string_view text, std::size_t at);

// Escapes a part of a line: unprintable characters as in JSON, "\n" and "\u001b", and bytes that
// are not UTF-8 as "?". Printable text is returned unchanged.
std::string on_one_line(std::string_view text);

// Escapes text of several lines the same way, but keeps line breaks and tabs. It also breaks up
// commands to CI services (GitHub, Azure): "::" as the first word of a line, and "##[" anywhere.
// OwnColors::Yes keeps the colours of our own messages.
enum class OwnColors : std::uint8_t { No, Yes };
std::string as_lines(std::string_view text, OwnColors colors = OwnColors::No);

// True if the text can be one name of a path: it is printable, has no slash and at most 255 bytes,
// and is not "", "." or "..".
constexpr std::size_t kMaxPathComponent = 255;
bool is_path_component(std::string_view name);
// True for such a name that contains `${`, a variable that Flux replaces later.
bool holds_variable(std::string_view name);

// Joins names with commas. Of more than `most` it has the first ones: "a, b and 3 more".
std::string some_of(std::span<const std::string> names, std::size_t most);
// Does the same for a message, with quotes around each name.
constexpr std::size_t kNamesInMessage = 10;
template <std::ranges::input_range Names>
std::string some_quoted(const Names& names) {
    std::vector<std::string> quoted;
    std::ranges::transform(names, std::back_inserter(quoted),
                           [](std::string_view name) { return '"' + std::string(name) + '"'; });
    return some_of(quoted, kNamesInMessage);
}

// Quotes a word for a command that people copy, if it needs quotes. One that begins with a hyphen
// gets "./", so that no program takes it for a flag.
std::string shell_word(std::string_view word);

}  // namespace renderer::inline base
