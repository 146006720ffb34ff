// Fields of pods and containers that users write into custom resources, as the operator submits
// them after its Go types have read them. Source: k8s.io/api core/v1/types.go (`omitempty`).
#pragma once

#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

// Whether a field of that name and value is left out: null, an empty list, an empty map of strings.
// An empty object stays.
bool is_left_out(std::string_view name, const Value& value);

// The value of the field `name`, without what is left out anywhere in it; amounts in canonical
// spelling.
Value pod_field(std::string_view name, const Value& value);

// Adds the field to `map` unless it is nullptr or left out. `name` is static text.
void put_pod_field(std::string_view name, const Value* value, Value& map);

// `requests` or `limits`, in canonical spelling; null when there are none. `given` may be nullptr.
Value amounts(const Value* given);

}  // namespace renderer
