// Returns the expected values of a type, for messages.
#pragma once

#include <string>

#include "renderer/schema/type_table.h"

namespace renderer::schema {

std::string_view expected_of(Builtin builtin);

// Returns "one of { a, b }".
std::string choices_of(const Limits& limits);

std::string expected_of(const ValueType& type);

}  // namespace renderer::schema
