// Hints for what a schema refuses: how the value is written, or where the field belongs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/schema/type_table.h"

namespace renderer::schema {

// Returns how a value of the wrong type is written; "" if it is not known. `key` is the name of the
// field, "" for an item of a list. `is_shown` allows the hint to repeat the value.
std::string type_hint(const ValueType& type, const Value& value, std::string_view key,
                      bool is_shown);

std::vector<std::string_view> names_of(const StructType& type);

// Returns "one of { … }"; "" for a type with many fields.
std::string fields_of(const StructType& type);

// Returns the paths of the fields with this name that are the least deep in `root`, at most two:
// "spec.subnetRouter.advertiseRoutes". Returns none if there are more, or if they are deeper than
// five keys.
std::vector<std::string> paths_of_field(const ValueType& root, std::string_view name);

}  // namespace renderer::schema
