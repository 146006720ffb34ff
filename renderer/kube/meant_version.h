// Typos in the apiVersion of an input, which the API server answers with "no matches for kind".
#pragma once

#include <string_view>

namespace renderer {

// The apiVersion that an object of this kind was meant to have: its group is near to that of an
// input of this kind, "core" for a Service, or left out. "" where none is meant, or it is right.
std::string_view meant_version(std::string_view api_version, std::string_view kind);

// An apiVersion in it is near to the one of our custom resources.
bool misspells_custom_group(std::string_view text);

}  // namespace renderer
