// The distance between two words, to detect typos. Source: the optimal string alignment distance.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer::inline core {

// Returns how many characters have to be inserted, deleted, replaced, or swapped with the next one
// to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace renderer::inline core
