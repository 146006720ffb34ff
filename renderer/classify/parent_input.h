// What every decoded object has, whatever its kind: its document, its name, and what the API server
// could not decode of it.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"

namespace renderer {

// Views point into Loaded, which outlives the Inventory. The document's tree is read (load's
// needs_tree), so annotation and label lookups go through `doc->root`.
struct ParentInput {
    const Document* doc = nullptr;
    std::string_view name, ns;       // ns is the effective namespace; either may be empty
    std::vector<Diagnostic> faults;  // what the API server cannot decode
    // Those of labels and annotations in the operator's domain: they can hide what the object asks
    // for (`expose: true` without quotes).
    std::vector<Diagnostic> wish_faults;

    // The value node, or nullptr when the key is absent.
    [[nodiscard]] const Value* annotation(std::string_view key) const;
    [[nodiscard]] const Value* label(std::string_view key) const;
    // Where the object begins: its `kind`.
    [[nodiscard]] Pos pos() const { return doc->kind.pos(); }
    // The place of a metadata key, or of the object when it has none.
    [[nodiscard]] Pos name_pos() const;
};

inline Report about(const ParentInput& parent, Diagnostics& diagnostics) {
    return about(*parent.doc, diagnostics);
}

}  // namespace renderer
