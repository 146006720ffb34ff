// Columns for people.
#pragma once

#include <string>
#include <vector>

namespace runtime {

// Each column as wide as its longest cell that is not the last of its row; nothing behind that. "-"
// for an empty cell.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace runtime
