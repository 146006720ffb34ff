// Columns for people.
#pragma once

#include <string>
#include <vector>

namespace runtime {

// Each column as wide as its longest cell; nothing behind the last one. "-" for an empty cell.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace runtime
