// How far a word is from another one, to tell a typo. Source: the optimal string alignment
// distance.
#pragma once

#include <cstddef>
#include <string_view>

namespace renderer {

// Characters to insert, to delete, to replace, or to swap with the next one, to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace renderer
