// Fields of pods and containers that users set in custom resources, in the form in which the
// operator submits them after its Go types have decoded them. Source: k8s.io/api core/v1/types.go
// (`omitempty`).
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer::plan {

// Returns true if a field with this name and value is omitted: null, an empty list, or an empty map
// of strings. An empty object is kept.
bool is_left_out(std::string_view name, const Value& value);

// Returns the value of the field `name` without omitted fields; quantities are in canonical form.
Value pod_field(std::string_view name, const Value& value);

// Adds the field to `map` unless it is nullptr or omitted. `name` is static text.
void put_pod_field(std::string_view name, const Value* value, Value& map);

// Returns `requests` or `limits` in canonical form; null if there are none. `given` may be nullptr.
Value amounts(const Value* given);

}  // namespace renderer::plan
