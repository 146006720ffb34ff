// Text that others wrote, on its way to a terminal, the log of a CI job, a comment, a path or a
// shell. Such text stays text: no character of it moves the cursor, turns or hides what is around
// it, begins a line of its own, or is a command to whoever reads the log. Not for documents: those
// are written by core/yaml_writer.h, or are not ours and stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace renderer {

// UTF-8 without C0 and C1 control characters, DEL, line separators, and characters that change the
// direction of text or are invisible.
bool is_printable(std::string_view text);

// The size in bytes of the character at `at`, which is_printable allows or not.
struct CharacterAt {
    std::size_t size = 1;
    bool printable = true;
    std::uint32_t code = 0;  // of a byte that is no UTF-8: that byte
    bool is_utf8 = true;
};
CharacterAt character_at(std::string_view text, std::size_t at);

// A part of a line: what is not printable is spelled as in JSON, "\n" and "\u001b", bytes that are
// no UTF-8 as "?". Printable text comes back as it is.
std::string on_one_line(std::string_view text);

// Lines: the same, but for line breaks and tabs. Commands to CI services are made unreadable to
// them: "::" as the first word of a line, and "##[" anywhere (GitHub, Azure). On demand the
// colours of our own messages stay.
enum class OwnColors : std::uint8_t { No, Yes };
std::string as_lines(std::string_view text, OwnColors colors = OwnColors::No);

// As one name of a path: not empty, "." or "..", without a slash, printable, at most 255 bytes.
constexpr std::size_t kMaxPathComponent = 255;
bool is_path_component(std::string_view name);
// Such a name with `${`, which Flux replaces later.
bool holds_variable(std::string_view name);

// For a command that people copy: in quotes unless it needs none.
std::string shell_word(std::string_view word);

}  // namespace renderer
