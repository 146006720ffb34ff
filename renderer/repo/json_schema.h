// JSON Schemas (draft 7, which editors read) of what a closed schema takes.
#pragma once

#include <cstdint>

#include "renderer/core/value.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::repo {

enum class UnknownKeys : std::uint8_t { Refused, Allowed };

// Returns the schema of a map with these fields.
Value json_schema(Schema schema, UnknownKeys unknown);

}  // namespace renderer::repo
