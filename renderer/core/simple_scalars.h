// Keys and scalars within one line, for the readers of simple style (block_reader.h,
// flow_reader.h): fewer than YAML allows, so that what is answered is what yaml-cpp makes of them.
// Values get no position here.
#pragma once

#include <cstddef>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer {

enum class KeyStyle { Block, Flow };

// Each reads what `line` begins with and says how many bytes it takes; 0: not certain.

// A key with its colon. A blank or the end of the line is behind it; in flow style a key in quotes
// needs none.
std::size_t read_simple_key(std::string_view line, KeyStyle style, Value& key);

// A scalar in double or single quotes.
std::size_t read_quoted(std::string_view line, Value& value);

// Whether a scalar without quotes can begin so: `-a`, but not `- a`.
bool begins_plain(std::string_view line);

bool has_unique_keys(const Value& map);

}  // namespace renderer
