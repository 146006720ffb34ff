// A comparison put into words: sections of marked lines, in the order of what matters to a
// reviewer. The terminal and the Markdown format only lay it out, so they cannot disagree. What
// comes from a manifest is between kCode and kCodeEnd, with every control character made
// visible: a manifest can neither move a terminal's cursor nor end a code span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/diff/compare.h"

namespace renderer {

constexpr char kCode = '\x02';
constexpr char kCodeEnd = '\x03';

enum class Weight {
    Alarm,   // becomes public
    Normal,  // what a reviewer wants to read
    Noise,   // what follows from it
};

struct OutlineLine {
    char mark = ' ';  // '+', '-', '~', '!'
    std::string text;
    std::vector<std::string> details;
    bool is_renamed = false;        // an object: one is lost, one is new
    bool names_in_details = false;  // without them it does not say which objects
};

struct OutlineSection {
    Weight weight = Weight::Normal;
    std::string title;
    std::vector<OutlineLine> lines;
};

struct Outline {
    std::string note;                   // what comes before all, "" = nothing
    std::vector<OutlineLine> warnings;  // of HEAD; those of exposures that are not rendered first
    std::string summary;                // one line; says so when nothing differs
    std::vector<OutlineSection> sections;  // none is empty; alarms first
};

Outline outline_of(const Comparison& comparison);

// With control characters made visible, and not too long.
std::string safe(std::string_view text);

}  // namespace renderer
