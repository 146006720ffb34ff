// The watched file descriptors, in an epoll instance of our own. It is level-triggered, so that
// nothing has to be armed again after each event, as Asio would.
// Source: epoll(7).
#pragma once

#include <functional>
#include <vector>

#include "runtime/base/loop.h"

namespace runtime::inline base {

class DescriptorSet {
public:
    DescriptorSet();
    ~DescriptorSet();
    DescriptorSet(const DescriptorSet&) = delete;
    DescriptorSet& operator=(const DescriptorSet&) = delete;

    // See Loop::watch.
    void watch(int descriptor, Interest interest, std::function<void(Interest)> ready);
    [[nodiscard]] bool is_empty() const { return count_ == 0; }
    // The descriptor of the epoll instance, which is readable while any watched descriptor is
    // ready.
    [[nodiscard]] int descriptor() const { return epoll_; }
    // Calls the callback of each ready descriptor once, and stops early when `is_over` returns
    // true. The callbacks may watch and unwatch any descriptor.
    void deliver(const std::function<bool()>& is_over);

private:
    struct Entry {
        std::uint32_t watching = 0;  // number of this watch; 0: not watched
        Interest interest = {};
        std::function<void(Interest)> ready = {};
    };
    void forget(int descriptor);
    void tell(int descriptor, std::uint32_t watching, std::uint32_t events);

    int epoll_;
    std::uint32_t last_ = 0;
    std::size_t count_ = 0;
    std::vector<Entry> entries_;  // by descriptor
};

}  // namespace runtime::inline base
