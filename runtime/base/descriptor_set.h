// The descriptors that someone waits for, in an epoll instance of our own: told level by level, so
// that nothing has to be armed again for each event, as Asio would.
// Source: epoll(7).
#pragma once

#include <functional>
#include <vector>

#include "runtime/base/loop.h"

namespace runtime {

class DescriptorSet {
public:
    DescriptorSet();
    ~DescriptorSet();
    DescriptorSet(const DescriptorSet&) = delete;
    DescriptorSet& operator=(const DescriptorSet&) = delete;

    // As Loop::watch.
    void watch(int descriptor, Interest interest, std::function<void(Interest)> ready);
    [[nodiscard]] bool is_empty() const { return count_ == 0; }
    // Can be read from while one of them is ready.
    [[nodiscard]] int descriptor() const { return epoll_; }
    // Calls each that is ready once, until `is_over`; those calls may watch and unwatch any.
    void deliver(const std::function<bool()>& is_over);

private:
    struct Entry {
        std::uint32_t watching = 0;  // which one; 0: none
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

}  // namespace runtime
