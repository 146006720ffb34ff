// Follows the columns in which the maps and lists of a document in block style begin, line by line,
// without looking at what is in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace renderer {

class BlockColumns {
public:
    // Takes the next line that is neither blank nor a comment nor part of a block scalar. `content`
    // begins behind `indent` blanks. False: no map or list goes on there, and the line above opens
    // none, or it is too deep to follow; the columns say nothing about the rest then.
    bool accept(std::size_t indent, std::string_view content);

private:
    bool open(std::size_t column);

    std::array<std::uint16_t, 64> columns_ = {};  // where something is open, ascending
    std::size_t depth_ = 0;
    std::string_view above_;
};

}  // namespace renderer
