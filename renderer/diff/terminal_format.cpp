#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "renderer/diff/formats.h"
#include "renderer/diff/outline.h"

namespace renderer {
namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string plain(std::string text) {
    std::erase_if(text, [](char c) { return c == kCode || c == kCodeEnd; });
    return text;
}

std::string_view color_of(char mark) {
    switch (mark) {
        case '+':
            return "\x1b[32m";
        case '-':
            return "\x1b[31m";
        case '!':
            return "\x1b[1;31m";
        default:
            return "\x1b[33m";
    }
}

class Terminal {
public:
    explicit Terminal(bool color) : color_(color) {}

    std::string print(const Outline& outline) {
        for (const OutlineSection& section : outline.sections) {
            put(plain(section.title),
                section.weight == Weight::Alarm ? "\x1b[1;37;41m" : "\x1b[1m");
            for (const OutlineLine& line : section.lines) {
                put(fmt::format("  {} {}", line.mark, plain(line.text)), color_of(line.mark));
                for (const std::string& detail : line.details) {
                    put("      " + plain(detail), {});
                }
            }
            out_ += '\n';
        }
        put(plain(outline.summary), {});
        return std::move(out_);
    }

private:
    void put(const std::string& text, std::string_view color) {
        const bool colored = color_ && !color.empty();
        fmt::format_to(std::back_inserter(out_), "{}{}{}\n", colored ? color : "", text,
                       colored ? kReset : "");
    }

    bool color_;
    std::string out_;
};

}  // namespace

std::string terminal_report(const Comparison& comparison, bool color) {
    return Terminal(color).print(outline_of(comparison));
}

}  // namespace renderer
