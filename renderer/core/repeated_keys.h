// Keys that are in one map more than once, as a reader finds them before anyone decides what
// counts.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

struct RepeatedKey {
    std::string name;
    Pos first, second;  // of the first key of that name, and of this one
};

// One for each key but the first of its name; sorted by name, then in the order of the map.
std::vector<RepeatedKey> repeated_keys(const Value& map);

}  // namespace renderer
