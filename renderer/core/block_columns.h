// Tracks, line by line, the columns at which the maps and lists of a block-style document begin,
// without looking at their contents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace renderer::inline core {

class BlockColumns {
public:
    // Takes the next line that is not blank, a comment or part of a block scalar. `content` begins
    // after `indent` blanks. Returns false if no map or list continues at that column and the line
    // above opens none, or if the nesting is too deep to track. The columns say nothing about the
    // rest of the document then.
    bool accept(std::size_t indent, std::string_view content);

private:
    bool open(std::size_t column);

    std::array<std::uint16_t, 64> columns_ = {};  // of open maps and lists, ascending
    std::size_t depth_ = 0;
    std::string_view above_;
};

}  // namespace renderer::inline core
