// Formats a table of aligned columns for people.
#pragma once

#include <string>
#include <vector>

namespace runtime::operate {

// Each column is as wide as its longest cell. The last cell of a row does not count, and is not
// padded. An empty cell is shown as "-".
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace runtime::operate
