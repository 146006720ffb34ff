// Runs independent steps on a few threads. Each step writes only to its own slot, so the result
// does not depend on their number or order.
#pragma once

#include <cstddef>
#include <functional>

namespace renderer {

// Calls step(0) … step(count - 1); `threads` 0 means one per core.
void for_each_parallel(std::size_t count, unsigned threads,
                       const std::function<void(std::size_t)>& step);

}  // namespace renderer
