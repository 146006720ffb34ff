// Makes the parts of a diagnostic that several formats share. Control characters are spelled out.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "renderer/core/shown_diagnostic.h"

namespace renderer::cli {

std::string_view severity_word(Severity severity);

// Returns "Kind/namespace/name: message".
std::string headline(const ShownDiagnostic& shown);

// Returns what was found and expected, and the hint: each is a line with a line end before it.
std::string details(const ShownDiagnostic& shown);

std::string note_text(const Note& note);

// Spells out control characters, but keeps line ends.
std::string printable_lines(std::string_view text);

// Equal diagnostics of several runs have equal fingerprints, even if lines are added or removed
// before them. If two diagnostics of a file are equal, the second has a fingerprint of its own.
class Fingerprints {
public:
    std::string of(const ShownDiagnostic& shown);

private:
    std::map<std::string, std::size_t> seen_;
};

}  // namespace renderer::cli
