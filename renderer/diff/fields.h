// Compares two versions of one object by meaning: the order of keys never matters, the order of a
// list only where it matters to Kubernetes, and `null` equals absent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::diff {

enum class FieldEdit { Added, Removed, Changed, Reordered };

struct FieldChange {
    std::string path;  // spec.template.spec.containers[name=web].image
    FieldEdit edit = FieldEdit::Changed;
    std::string before, after;  // as compact JSON, shortened; "" if absent
};

// Both values must come from `redacted`. Changes are in the order of their paths. A list in a pod
// template whose items only moved is `Reordered`, since that restarts pods.
std::vector<FieldChange> compare_fields(std::string_view kind, const Value& before,
                                        const Value& after);

// Returns compact JSON. Long text is cut, but never within a character. `skipped` is the length of
// the prefix that two compared texts share.
std::string shown_value(const Value& value, std::size_t skipped = 0);

constexpr std::string_view kPodTemplate = "spec.template";

}  // namespace renderer::diff
