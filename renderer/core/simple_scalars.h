// Keys and scalars within one line, for the fast readers (block_reader.h, flow_reader.h). They
// accept less than YAML allows, so that the result always equals yaml-cpp's. Values get no position
// here.
#pragma once

#include <cstddef>
#include <string_view>

#include "renderer/core/value.h"

namespace renderer::inline core {

enum class KeyStyle { Block, Flow };

// Each function reads the start of `line` and returns how many bytes it read; 0 if it does not
// support them.

// Reads a key with its colon. A blank or the end of the line must follow; a quoted key in flow
// style needs neither.
std::size_t read_simple_key(std::string_view line, KeyStyle style, Value& key);

// Reads a scalar in double or single quotes.
std::size_t read_quoted(std::string_view line, Value& value);

// True if an unquoted scalar can begin like this: `-a`, but not `- a`.
bool begins_plain(std::string_view line);

bool has_unique_keys(const Value& map);

}  // namespace renderer::inline core
