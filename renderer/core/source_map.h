// Owns the text of every file and stream of a run and turns a Pos back into file, line and column.
// Texts live as long as the map, so string_views into them are safe after loading.
// Not thread-safe while adding; reading from several threads is fine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"

namespace renderer {

using SourceId = std::uint32_t;

// All that is read at once: positions have 32 bits.
inline constexpr std::size_t kMaxSource = std::size_t{3} << 30U;

struct Location {
    std::string_view path;     // as the user typed it, "<stdin>", or a flag such as "--set"
    std::uint32_t line = 0;    // 1-based; 0 in a part with a name of its own
    std::uint32_t column = 0;  // 1-based, in bytes
    std::string_view text;     // the line without its end
};

class SourceMap {
public:
    // All buffers together may hold 4 GiB; more aborts, so callers bound their input before.
    SourceId add(std::string path, std::string text);

    [[nodiscard]] std::string_view path(SourceId id) const { return sources_[id].path; }
    [[nodiscard]] std::string_view text(SourceId id) const { return sources_[id].text; }
    [[nodiscard]] std::size_t count() const { return sources_.size(); }
    [[nodiscard]] std::size_t total_bytes() const { return next_ - 1; }

    // From this byte on, to the next part or the end, places are called `name`, without a line: the
    // text is not the one that the user has. Parts of a source are named in its order.
    // `file`: what it was made of; "" where that is not known.
    void name_part(SourceId id, std::size_t begin, std::string name, std::string file = {});
    // Of the part that holds a known position; "" where no part does.
    [[nodiscard]] std::string_view file_of_part(Pos pos) const;

    // The place of a byte of a source; `offset` may be one past the end.
    [[nodiscard]] Pos pos(SourceId id, std::size_t offset) const;
    // The inverse. The position must be known and come from this map.
    [[nodiscard]] SourceId source_of(Pos pos) const;
    [[nodiscard]] std::size_t offset_of(Pos pos) const;
    [[nodiscard]] Location locate(Pos pos) const;
    // "path:line:col", the name of a part, or "" for an unknown position.
    [[nodiscard]] std::string describe(Pos pos) const;

private:
    struct Part {
        std::size_t begin;
        std::string name;
        std::string file;
    };
    struct Source {
        std::string path;
        std::string text;
        std::uint32_t base;  // Pos of its first byte
        std::vector<std::uint32_t>
            newlines;  // before every kChunk-th byte, so that locate() is quick
        std::deque<Part> parts = {};
    };

    [[nodiscard]] const Part* part_at(Pos pos) const;

    std::deque<Source> sources_;  // stable addresses
    std::uint32_t next_ = 1;      // 0 means nowhere
};

}  // namespace renderer
