// Converts Value to JSON text and back. Writing follows Go's encoding/json: compact, `<`, `>`, `&`
// as \u003c \u003e \u0026, U+2028/9 escaped, other non-ASCII raw. Maps keep their member order;
// callers that need Go's sorted maps sort first.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/result.h"
#include "renderer/core/value.h"

namespace renderer::inline core {

std::string write_json(const Value& value);
std::string write_json_sorted(const Value& value);  // keys of every map sorted bytewise
std::string write_json_pretty(const Value& value);  // 2-space indent, for people
Result<Value> read_json(std::string_view text);     // no positions; duplicate keys are errors

// Writes a map as write_json_pretty does, in pieces that follow each other: its members, then a
// list whose items need not be in memory together, then the rest.
class JsonPieces {
public:
    // `map` has at least one member.
    std::string begin(const Value& map, std::string_view list);
    std::string item(const Value& item);
    std::string end(const Value& rest = Value::map());

private:
    bool has_items_ = false;
};

// For replies of a server that does not have these limits: what is nested too deep becomes null,
// and the first value of a duplicate key wins. So no single object can make the rest unreadable.
Result<Value> read_json_within_limits(std::string_view text);

}  // namespace renderer::inline core
