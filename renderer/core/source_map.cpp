#include "renderer/core/source_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "renderer/base/check.h"

namespace renderer::inline core {

namespace {

constexpr std::size_t kChunk = 1024;

std::vector<std::uint32_t> count_newlines(std::string_view text) {
    std::vector<std::uint32_t> before;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i <= text.size(); i += kChunk) {
        before.push_back(count);
        count += static_cast<std::uint32_t>(std::ranges::count(text.substr(i, kChunk), '\n'));
    }
    return before;
}

}  // namespace

SourceId SourceMap::add(std::string path, std::string text) {
    CHECK(text.size() < std::numeric_limits<std::uint32_t>::max() - next_);
    const auto size = static_cast<std::uint32_t>(text.size());
    std::vector<std::uint32_t> newlines = count_newlines(text);
    sources_.push_back(Source{std::move(path), std::move(text), next_, std::move(newlines)});
    next_ += size + 1;  // one past the end is also a position
    return static_cast<SourceId>(sources_.size() - 1);
}

void SourceMap::name_part(SourceId id, std::size_t begin, std::string name, std::string file) {
    std::deque<Part>& parts = sources_[id].parts;
    CHECK(parts.empty() || parts.back().begin < begin);
    parts.push_back({begin, std::move(name), std::move(file)});
}

void SourceMap::keep_only(const std::vector<Pos>& used) {
    std::set<SourceId> wanted;
    for (const Pos pos : used) {
        if (pos.known()) {
            wanted.insert(source_of(pos));
        }
    }
    std::deque<Source> kept;
    for (const SourceId id : wanted) {
        kept.push_back(std::move(sources_[id]));
    }
    sources_ = std::move(kept);
}

Pos SourceMap::pos(SourceId id, std::size_t offset) const {
    CHECK(offset <= sources_[id].text.size());
    return Pos{sources_[id].base + static_cast<std::uint32_t>(offset)};
}

SourceId SourceMap::source_of(Pos pos) const {
    CHECK(pos.known() && pos.offset < next_);
    const auto after = std::upper_bound(
        sources_.begin(), sources_.end(), pos.offset,
        [](std::uint32_t offset, const Source& source) { return offset < source.base; });
    return static_cast<SourceId>(after - sources_.begin() - 1);
}

std::size_t SourceMap::offset_of(Pos pos) const {
    return pos.offset - sources_[source_of(pos)].base;
}

Location SourceMap::locate(Pos pos) const {
    const Source& source = sources_[source_of(pos)];
    const std::string_view text = source.text;
    const std::size_t offset = pos.offset - source.base;
    const std::string_view before = text.substr(0, offset);
    const std::size_t newline = before.rfind('\n');
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    std::string_view line = text.substr(start, text.find('\n', start) - start);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    const auto column = static_cast<std::uint32_t>(offset - start + 1);
    if (const Part* part = part_at(pos); part != nullptr) {
        return {part->name, 0, column, line};
    }
    const std::size_t chunk = offset / kChunk;
    const auto rest = std::ranges::count(before.substr(chunk * kChunk), '\n');
    return {source.path, source.newlines[chunk] + static_cast<std::uint32_t>(rest) + 1, column,
            line};
}

const SourceMap::Part* SourceMap::part_at(Pos pos) const {
    const std::deque<Part>& parts = sources_[source_of(pos)].parts;
    const auto behind = std::ranges::upper_bound(parts, offset_of(pos), {}, &Part::begin);
    return behind == parts.begin() ? nullptr : &*std::prev(behind);
}

std::string_view SourceMap::file_of_part(Pos pos) const {
    const Part* part = part_at(pos);
    return part == nullptr ? std::string_view() : part->file;
}

std::string SourceMap::describe(Pos pos) const {
    if (!pos.known()) {
        return "";
    }
    const Location place = locate(pos);
    return place.line == 0 ? std::string(place.path)
                           : fmt::format("{}:{}:{}", place.path, place.line, place.column);
}

}  // namespace renderer::inline core
