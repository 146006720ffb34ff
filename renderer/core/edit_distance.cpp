#include "renderer/core/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace renderer::inline core {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> older, previous(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        older = std::exchange(previous, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], older[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

}  // namespace renderer::inline core
