// Value <-> JSON text. Writing follows Go's encoding/json: compact, `<`, `>`, `&` as \u003c \u003e
// \u0026, U+2028/9 escaped, other non-ASCII raw; maps keep their member order (callers that need
// Go's sorted maps sort first).
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "renderer/core/value.h"

namespace renderer {

std::string write_json(const Value& value);
std::string write_json_sorted(const Value& value);  // every map's keys bytewise, like a Go map
std::string write_json_pretty(const Value& value);  // 2-space indent, for people
Result<Value> read_json(std::string_view text);     // no positions; duplicate keys are errors
// Of a server that knows no such limits: what is nested deeper than they allow is null, and of a
// key that occurs twice the first counts. No single object can make the rest unreadable.
Result<Value> read_json_within_limits(std::string_view text);

}  // namespace renderer
