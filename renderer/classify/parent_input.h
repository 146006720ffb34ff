// What every decoded object has, whatever its kind: its document, its name, and the fields that the
// API server could not decode.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"

namespace renderer::classify {

// Views point into Loaded, which outlives the Inventory. The document's tree is read (load's
// needs_tree), so annotation and label lookups go through `doc->root`.
struct ParentInput {
    const Document* doc = nullptr;
    std::string_view name, ns;       // ns is the effective namespace; either may be empty
    std::vector<Diagnostic> faults;  // fields that the API server cannot decode
    // Faults of labels and annotations in the operator's domain. They can hide what the object asks
    // for (`expose: true` without quotes).
    std::vector<Diagnostic> operator_faults;

    // Returns the value, or nullptr if the key is absent.
    [[nodiscard]] const Value* annotation(std::string_view key) const;
    [[nodiscard]] const Value* label(std::string_view key) const;
    // Returns the position of the object: its `kind`.
    [[nodiscard]] Pos pos() const { return doc->kind.pos(); }
    // Returns the position of metadata.name, or of the object if it has no name.
    [[nodiscard]] Pos name_pos() const;
};

inline Report about(const ParentInput& parent, Diagnostics& diagnostics) {
    return about(*parent.doc, diagnostics);
}

}  // namespace renderer::classify
