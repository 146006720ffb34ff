// Owns the text of every file and stream of a run and converts a Pos back to file, line and column.
// Texts live as long as the map, so string_views into them stay valid after loading. Not
// thread-safe while adding; reading from several threads is fine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"

namespace renderer::inline core {

using SourceId = std::uint32_t;

// The limit for what is read at once: positions have 32 bits.
inline constexpr std::size_t kMaxSource = std::size_t{3} << 30U;

struct Location {
    std::string_view path;     // as the user typed it, "<stdin>", or a flag such as "--set"
    std::uint32_t line = 0;    // 1-based; 0 in a named part
    std::uint32_t column = 0;  // 1-based, in bytes
    std::string_view text;     // the line without its line break
};

class SourceMap {
public:
    // All buffers together may hold 4 GiB. More aborts, so callers limit their input first.
    SourceId add(std::string path, std::string text);

    [[nodiscard]] std::string_view path(SourceId id) const { return sources_[id].path; }
    [[nodiscard]] std::string_view text(SourceId id) const { return sources_[id].text; }
    [[nodiscard]] std::size_t count() const { return sources_.size(); }
    [[nodiscard]] std::size_t total_bytes() const { return next_ - 1; }

    // From this byte to the next part or the end, positions are printed as `name` without a line,
    // since the text is not one that the user has. Parts of a source are named in order. `file` is
    // the file that the part was made from, "" if unknown.
    void name_part(SourceId id, std::size_t begin, std::string name, std::string file = {});
    // Returns the `file` of the part that contains a known position; "" outside of parts.
    [[nodiscard]] std::string_view file_of_part(Pos pos) const;

    // Frees the sources that contain none of these positions, of which some may be unknown. No
    // other position and no SourceId may be used afterwards.
    void keep_only(const std::vector<Pos>& used);

    // Returns the position of a byte of a source; `offset` may be one past the end.
    [[nodiscard]] Pos pos(SourceId id, std::size_t offset) const;
    // The inverse of pos(). The position must be known and come from this map.
    [[nodiscard]] SourceId source_of(Pos pos) const;
    [[nodiscard]] std::size_t offset_of(Pos pos) const;
    [[nodiscard]] Location locate(Pos pos) const;
    // Returns "path:line:col", the name of a part, or "" for an unknown position.
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
            newlines;  // count before every kChunk-th byte, to make locate() fast
        std::deque<Part> parts = {};
    };

    [[nodiscard]] const Part* part_at(Pos pos) const;

    std::deque<Source> sources_;  // stable addresses
    std::uint32_t next_ = 1;      // 0 is reserved for no position
};

}  // namespace renderer::inline core
