// The spelling of a value in its source, which the tree does not keep of booleans.
#pragma once

#include <string_view>

#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"

namespace renderer::inline core {

// Returns the word at a known position: the text up to a blank, a comma, a bracket or a comment.
inline std::string_view word_at(const SourceMap& sources, Pos place) {
    const std::string_view text =
        sources.text(sources.source_of(place)).substr(sources.offset_of(place));
    return text.substr(0, text.find_first_of(" \t\r\n,}]#"));
}

}  // namespace renderer::inline core
