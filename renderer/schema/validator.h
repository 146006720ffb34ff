// Validates one object against its type: unknown fields (as strictly as `kubectl
// --validate=strict`), types, required fields, and the limits of the operator's CRDs. Not checked
// here: what only code of the API server checks (unique names, ports in range), and rules between
// fields of CRDs, which are in plan.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/schema/type_table.h"

namespace renderer::schema {

constexpr std::string_view kRequiredRule = "schema-required";
constexpr std::string_view kUnknownRule = "schema-unknown-field";

struct SchemaFault {
    Diagnostic diagnostic;
    // Positions of the field and its value; an error at either is the same mistake.
    std::array<Pos, 2> places;
    // True if a stage decodes the field and cannot: it has the wrong type, is missing, or is not
    // one of a closed choice. Never true in metadata beyond the maps of labels and annotations.
    bool is_shape = false;
    // True for a text that contains `${`, which is replaced before the object is applied, and for a
    // null that Go reads as empty: an error only for a stage that reads it now.
    bool may_change = false;
    std::string_view missing = {};  // the name of a required field that is missing; "" = none is
    // The releases of the operator that have the field; with those it is not a fault.
    OperatorSpan unless = {.first = 0, .last = -1};
};

// `version` is the table's, for hints.
std::vector<SchemaFault> validate(const Value& root, const ValueType& type,
                                  std::string_view version);

}  // namespace renderer::schema
