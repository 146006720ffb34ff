// One rule as nft writes it. Used by text.cpp.
#pragma once

#include <string>

#include "runtime/nft/ruleset.h"

namespace runtime::nft {

std::string rule_text(const Rule& rule);
// The values of the parts, joined by " . "; bytes that do not fill the parts are printed as a
// number.
std::string parts_text(const std::vector<Part>& parts, std::string_view bytes);

}  // namespace runtime::nft
