// Prints one rule as nft does. Used by text.cpp.
#pragma once

#include <string>

#include "runtime/nft/ruleset.h"

namespace runtime::nft {

std::string rule_text(const Rule& rule);
// Returns the values of the parts, joined by " . ". Bytes of another size than the parts are
// printed as a number.
std::string parts_text(const std::vector<Part>& parts, std::string_view bytes);

}  // namespace runtime::nft
