#include "runtime/operate/status/table.h"

#include <algorithm>

namespace runtime::operate {

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 1);
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string& cell = row[i].empty() ? "-" : row[i];
            line += cell;
            if (i + 1 < row.size()) {
                line.append(widths[i] - cell.size() + 2, ' ');
            }
        }
        out += line + "\n";
    }
    return out;
}

}  // namespace runtime::operate
