// Two trees of one object, compared by meaning: key order never counts, the order of a list only
// where Kubernetes sees it, `null` is as good as absent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

enum class FieldEdit { Added, Removed, Changed, Reordered };

struct FieldChange {
    std::string path;  // spec.template.spec.containers[name=web].image
    FieldEdit edit = FieldEdit::Changed;
    std::string before, after;  // as compact JSON, shortened; "" where there is none
};

// Both are what `redacted` made. In the order of the paths. A list of a pod template whose items
// only moved is `Reordered`, since that restarts pods.
std::vector<FieldChange> compare_fields(std::string_view kind, const Value& before,
                                        const Value& after);

// Compact JSON. A long text is cut, never within a character; where two have been compared,
// `skipped` is what they have in common at their begin.
std::string shown_value(const Value& value, std::size_t skipped = 0);

constexpr std::string_view kPodTemplate = "spec.template";

}  // namespace renderer
