#include <fmt/format.h>

#include <iterator>

#include "renderer/base/printable.h"
#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"

namespace renderer::diff {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string plain(std::string text) {
    std::erase_if(text, [](char c) { return c == kCode || c == kCodeEnd; });
    return on_one_line(text);
}

std::string_view color_of(char mark) {
    return mark == '+'   ? "\x1b[32m"
           : mark == '-' ? "\x1b[31m"
           : mark == '!' ? "\x1b[1;31m"
                         : "\x1b[33m";
}

}  // namespace

std::string terminal_report(const Comparison& comparison, bool color) {
    std::string out;
    const auto put = [&](const std::string& text, std::string_view style) {
        const bool styled = color && !style.empty();
        fmt::format_to(std::back_inserter(out), "{}{}{}\n", styled ? style : "", text,
                       styled ? kReset : "");
    };
    const Outline outline = outline_of(comparison);
    if (!outline.note.empty()) {
        put(plain(outline.note) + "\n", "\x1b[1;31m");
    }
    for (const OutlineSection& section : outline.sections) {
        put(plain(section.title), section.weight == Weight::Alarm ? "\x1b[1;37;41m" : "\x1b[1m");
        for (const OutlineLine& line : section.lines) {
            put(fmt::format("  {} {}", line.mark, plain(line.text)), color_of(line.mark));
            for (const std::string& detail : line.details) {
                put("      " + plain(detail), {});
            }
        }
        out += '\n';
    }
    put(plain(outline.summary), {});
    return out;
}

}  // namespace renderer::diff
