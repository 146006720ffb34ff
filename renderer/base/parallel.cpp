#include "renderer/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace renderer::inline base {

void for_each_parallel(std::size_t count, unsigned threads,
                       const std::function<void(std::size_t)>& step, std::size_t chunk) {
    if (count <= 1) {  // counting the cores opens a file, so do not
        for (std::size_t i = 0; i < count; ++i) {
            step(i);
        }
        return;
    }
    const std::size_t wanted =
        threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
    chunk = count < wanted * chunk ? 1 : chunk;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t begin = next.fetch_add(chunk); begin < count;
             begin = next.fetch_add(chunk)) {
            for (std::size_t i = begin; i < std::min(count, begin + chunk); ++i) {
                step(i);
            }
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(wanted, (count + chunk - 1) / chunk); ++i) {
        others.emplace_back(work);
    }
    work();
}

}  // namespace renderer::inline base
