// The parts of a diagnostic that several formats have, without what no terminal or log should get.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "renderer/core/shown_diagnostic.h"

namespace renderer {

std::string_view severity_word(Severity severity);

// "Kind/namespace/name: message"
std::string headline(const ShownDiagnostic& shown);

// What was found and expected, and the hint: lines with a line end before each.
std::string details(const ShownDiagnostic& shown);

std::string note_text(const Note& note);

// Lines stay lines.
std::string printable_lines(std::string_view text);

// Equal diagnostics of several runs have equal fingerprints, also when lines before them come or
// go; the second one of a file has another one than the first.
class Fingerprints {
public:
    std::string of(const ShownDiagnostic& shown);

private:
    std::map<std::string, std::size_t> seen_;
};

}  // namespace renderer
