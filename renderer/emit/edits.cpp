#include "renderer/emit/edits.h"

#include <algorithm>
#include <tuple>

namespace renderer::emit {
namespace {

// A longer edit sorts before a shorter one at the same place, so that the removal of a document
// comes first.
bool before(const Edit* a, const Edit* b) {
    return std::tuple(a->source, a->begin, b->end) < std::tuple(b->source, b->begin, a->end);
}

bool covers(const Edit& edit, SourceId source, RawDocument range) {
    return edit.source == source && edit.begin <= range.begin && edit.end >= range.end &&
           edit.replacement.empty();
}

}  // namespace

EditIndex::EditIndex(const std::vector<Edit>& edits) {
    sorted_.reserve(edits.size());
    for (const Edit& edit : edits) {
        sorted_.push_back(&edit);
    }
    std::stable_sort(sorted_.begin(), sorted_.end(), before);
}

std::span<const Edit* const> EditIndex::within(SourceId source, RawDocument range) const {
    const auto place_less = [](const Edit* edit, const std::pair<SourceId, std::size_t>& place) {
        return std::pair(edit->source, edit->begin) < place;
    };
    const auto first = std::lower_bound(sorted_.begin(), sorted_.end(),
                                        std::pair(source, range.begin), place_less);
    const auto last =
        std::lower_bound(first, sorted_.end(), std::pair(source, range.end + 1), place_less);
    return {first, last};
}

bool EditIndex::cuts(SourceId source, RawDocument range) const {
    const auto inside = within(source, range);
    if (!inside.empty() && covers(*inside.front(), source, range)) {
        return true;
    }
    const auto* first = inside.data();
    return first != sorted_.data() && first != nullptr && covers(**(first - 1), source, range);
}

void EditIndex::append(std::string& out, std::string_view text, SourceId source,
                       RawDocument range) const {
    std::size_t done = range.begin;
    for (const Edit* edit : within(source, range)) {
        if (edit->begin < done) {
            continue;
        }
        out.append(text, done, edit->begin - done);
        out.append(edit->replacement);
        done = std::min(edit->end, range.end);
    }
    out.append(text, done, range.end - done);
}

}  // namespace renderer::emit
