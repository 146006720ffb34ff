// Applies a run's edits to their texts. An edit that removes a whole document wins over edits
// inside it; other edits never overlap. Text outside of edits is copied unchanged.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/document.h"

namespace renderer::emit {

class EditIndex {
public:
    // The edits must outlive the index.
    explicit EditIndex(const std::vector<Edit>& edits);

    // True if an edit removes the whole range.
    [[nodiscard]] bool cuts(SourceId source, RawDocument range) const;
    // Appends text[range] with its edits applied.
    void append(std::string& out, std::string_view text, SourceId source, RawDocument range) const;

private:
    // Returns the edits that begin in the range, including its end, sorted by place.
    [[nodiscard]] std::span<const Edit* const> within(SourceId source, RawDocument range) const;

    std::vector<const Edit*> sorted_;
};

}  // namespace renderer::emit
