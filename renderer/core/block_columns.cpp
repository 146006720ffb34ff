#include "renderer/core/block_columns.h"

#include <limits>

namespace renderer::inline core {

namespace {

// True if the line ends in `key:` or a lone dash; a comment may follow.
bool opens_a_block(std::string_view line) {
    line = line.substr(0, line.find(" #"));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    return line.ends_with(':') || line == "-" || line.ends_with(" -");
}

}  // namespace

bool BlockColumns::accept(std::size_t indent, std::string_view content) {
    const std::size_t before = depth_;
    while (depth_ > 0 && columns_.at(depth_ - 1) > indent) {
        --depth_;
    }
    if (depth_ == 0 || columns_.at(depth_ - 1) < indent) {
        const bool may_begin = before == 0 || (depth_ == before && opens_a_block(above_));
        if (!may_begin || !open(indent)) {
            return false;
        }
    }
    above_ = content;
    for (std::size_t at = 0; content.substr(at).starts_with("- ");) {
        at = content.find_first_not_of(' ', at + 1);
        if (at == std::string_view::npos) {
            break;
        }
        if (!open(indent + at)) {
            return false;
        }
    }
    return true;
}

bool BlockColumns::open(std::size_t column) {
    if (depth_ == columns_.size() || column > std::numeric_limits<std::uint16_t>::max()) {
        return false;
    }
    columns_.at(depth_++) = static_cast<std::uint16_t>(column);
    return true;
}

}  // namespace renderer::inline core
