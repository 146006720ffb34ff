// Prepares diagnostics for text and for other formats: they are sorted, each occurs once, they hold
// no credentials, and they do not refer to the sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"

namespace renderer::inline core {

struct ShownPlace {
    std::string name;             // as it is printed: "web.yaml:6:71", "--cluster", "<stdin>"
    std::string file = {};        // "" where no file is known
    std::uint32_t line = 0;       // 1-based; 0: the whole file, or a part without lines
    std::uint32_t column = 0;     // 1-based, in bytes
    std::uint32_t character = 0;  // 1-based, in characters
};

struct ShownDiagnostic {
    Diagnostic said;
    ShownPlace place;
    std::vector<ShownPlace> note_places;  // one for each note
    std::string text;                     // the whole text, as Diagnostics::print prints it
};

// How the text is printed. Lines of sources are cut to the width of the terminal, in characters; 0:
// it goes elsewhere.
struct Look {
    bool color = false;
    std::size_t width = 0;
};

std::vector<ShownDiagnostic> shown_diagnostics(const Diagnostics& diagnostics,
                                               const SourceMap& sources, Look look = {});

}  // namespace renderer::inline core
