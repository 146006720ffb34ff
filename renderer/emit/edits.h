// Applies a run's edits to the text they belong to. An edit that removes a whole document wins over
// edits inside that document; other edits never overlap. Text outside of edits is copied as it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/document.h"

namespace renderer {

class EditIndex {
public:
    // The edits must outlive the index.
    explicit EditIndex(const std::vector<Edit>& edits);

    // Some edit empties the whole range.
    [[nodiscard]] bool cuts(SourceId source, RawDocument range) const;
    // At least one edit is in the range.
    [[nodiscard]] bool touches(SourceId source, RawDocument range) const;
    // Appends text[range] with the edits applied that are in it.
    void append(std::string& out, std::string_view text, SourceId source, RawDocument range) const;

private:
    // Edits that begin inside of the range, its end included, sorted by place.
    [[nodiscard]] std::span<const Edit* const> within(SourceId source, RawDocument range) const;

    std::vector<const Edit*> sorted_;
};

}  // namespace renderer
