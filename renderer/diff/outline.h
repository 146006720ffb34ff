// A comparison as text: sections of marked lines, in the order in which they matter to a reviewer.
// The terminal and the Markdown format only lay it out, so they cannot disagree. Text from a
// manifest is between kCode and kCodeEnd, with control characters made visible, so that it can
// neither move a terminal's cursor nor end a code span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/diff/compare.h"

namespace renderer::diff {

constexpr char kCode = '\x02';
constexpr char kCodeEnd = '\x03';

enum class Weight {
    Alarm,   // something becomes public
    Normal,  // of interest to a reviewer
    Noise,   // consequences of other changes
};

struct OutlineLine {
    char mark = ' ';  // '+', '-', '~', '!'
    std::string text;
    std::vector<std::string> details;
    bool is_renamed = false;        // an object: one name is removed, one added
    bool names_in_details = false;  // only the details name the objects
};

struct OutlineSection {
    Weight weight = Weight::Normal;
    std::string title = {};
    std::vector<OutlineLine> lines = {};
    bool lists_objects = false;    // those that users wrote
    bool lists_generated = false;  // the others
};

struct Outline {
    std::string note;                   // shown before everything else, "" = nothing
    std::vector<OutlineLine> warnings;  // about HEAD; exposures that are not rendered come first
    std::string summary;                // one line, also if nothing differs
    std::string absences;               // what a reviewer may ask for and is not so, "" = nothing
    std::vector<OutlineSection> sections;  // none is empty; alarms first
};

Outline outline_of(const Comparison& comparison);

// Returns safe text between the code marks.
std::string code(std::string_view text);

// Makes control characters visible and shortens the text.
std::string safe(std::string_view text);

}  // namespace renderer::diff
