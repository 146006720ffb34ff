// Runs independent steps on several threads. Each step writes only to its own slot, so the result
// depends neither on the number of threads nor on their order.
#pragma once

#include <cstddef>
#include <functional>

namespace renderer::inline base {

// Calls step(0) … step(count - 1); `threads` 0 means one per core.
void for_each_parallel(std::size_t count, unsigned threads,
                       const std::function<void(std::size_t)>& step);

}  // namespace renderer::inline base
