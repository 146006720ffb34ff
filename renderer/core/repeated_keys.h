// Keys that occur more than once in a map, for readers that report or resolve them.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer::inline core {

struct RepeatedKey {
    std::string name;
    Pos first, second;  // positions of the first key of that name and of this one
};

// Returns one entry for each key after the first of its name, sorted by name, then in the order of
// the map.
std::vector<RepeatedKey> repeated_keys(const Value& map);

}  // namespace renderer::inline core
