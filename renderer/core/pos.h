// A place in the input in 4 bytes: an offset into the one address space that a SourceMap creates
// for all its buffers. File, line and column are computed only when a message is printed.
#pragma once

#include <compare>
#include <cstdint>

namespace renderer::inline core {

struct Pos {
    std::uint32_t offset = 0;  // 0 = no position (a generated value, a flag)

    [[nodiscard]] bool known() const { return offset != 0; }
    friend bool operator==(Pos, Pos) = default;
    friend auto operator<=>(Pos, Pos) = default;
};

}  // namespace renderer::inline core
