// Runs independent steps on several threads. Each step writes only to its own slot, so the result
// depends neither on the number of threads nor on their order.
#pragma once

#include <cstddef>
#include <functional>

namespace renderer::inline base {

// Calls step(0) … step(count - 1); `threads` 0 means one per core. A thread takes `chunk` steps at
// a time, if there are enough for all: short steps need it, so that threads seldom meet.
void for_each_parallel(std::size_t count, unsigned threads,
                       const std::function<void(std::size_t)>& step, std::size_t chunk = 16);

}  // namespace renderer::inline base
