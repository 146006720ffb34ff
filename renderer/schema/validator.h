// Compares one object with its type: unknown fields (as strictly as `kubectl --validate=strict`),
// types, required fields, and the limits of the operator's CRDs. What only the API server's own
// code checks (names that must be unique, ports in range) is none of its business, nor are the
// rules between fields of CRDs: plan has those.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/schema/type_table.h"

namespace renderer {

constexpr std::string_view kRequiredRule = "schema-required";

struct SchemaFault {
    Diagnostic diagnostic;
    std::array<Pos, 2> places;  // of the field and of its value: an error there is about the same
    // Of the wrong type, missing, or outside a closed choice, in a field that someone decodes and
    // then cannot. Not in the metadata beyond the maps of labels and annotations.
    bool is_shape = false;
    // About a text that holds `${`, which something will replace before the object is applied, or
    // about a null that Go reads as empty: a fault only for whoever reads it now.
    bool may_change = false;
    // Of a field that only these releases of the operator have: no fault there.
    OperatorSpan unless = {.first = 0, .last = -1};
};

// `version` is the table's; it appears in hints.
std::vector<SchemaFault> validate(const Value& root, const ValueType& type,
                                  std::string_view version);

}  // namespace renderer
