#include "runtime/base/descriptor_set.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "renderer/base/check.h"

namespace runtime::inline base {

namespace {

constexpr std::size_t kAtOnce = 256;

std::uint32_t events_of(Interest interest) {
    return (interest.read ? EPOLLIN : 0U) | (interest.write ? EPOLLOUT : 0U);
}

}  // namespace

DescriptorSet::DescriptorSet() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    CHECK(epoll_ >= 0);
}

DescriptorSet::~DescriptorSet() {
    ::close(epoll_);
}

void DescriptorSet::watch(int descriptor, Interest interest, std::function<void(Interest)> ready) {
    if (!interest.read && !interest.write) {
        return forget(descriptor);
    }
    const auto index = static_cast<std::size_t>(descriptor);
    if (index >= entries_.size()) {
        entries_.resize(std::max(index + 1, entries_.size() * 2));
    }
    Entry& entry = entries_[index];
    count_ += entry.watching == 0 ? 1 : 0;
    last_ = std::max(last_ + 1, 1U);
    entry = {last_, interest, std::move(ready)};
    epoll_event event = {};
    event.events = events_of(interest);
    event.data.u64 = std::uint64_t{last_} << 32 | static_cast<std::uint32_t>(descriptor);
    // If the descriptor was closed without ending its watch, the kernel has already removed it.
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) != 0) {
        CHECK(errno == ENOENT && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0);
    }
}

void DescriptorSet::forget(int descriptor) {
    const auto index = static_cast<std::size_t>(descriptor);
    if (index < entries_.size() && entries_[index].watching != 0) {
        entries_[index] = {};
        --count_;
        epoll_event unused = {};
        static_cast<void>(::epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, &unused));
    }
}

void DescriptorSet::deliver(const std::function<bool()>& is_over) {
    std::array<epoll_event, kAtOnce> events;
    const int found = ::epoll_wait(epoll_, events.data(), kAtOnce, 0);
    for (int i = 0; i < found && !is_over(); ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        tell(static_cast<int>(event.data.u64 & 0xFFFFFFFFU),
             static_cast<std::uint32_t>(event.data.u64 >> 32), event.events);
    }
}

void DescriptorSet::tell(int descriptor, std::uint32_t watching, std::uint32_t events) {
    const Entry& entry = entries_[static_cast<std::size_t>(descriptor)];
    // An earlier callback may have replaced this watch with another one for the same number.
    if (entry.watching != watching) {
        return;
    }
    const bool is_broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    const Interest now{.read = entry.interest.read && ((events & EPOLLIN) != 0 || is_broken),
                       .write = entry.interest.write && ((events & EPOLLOUT) != 0 || is_broken)};
    const auto ready = entry.ready;  // a copy: the call may replace or end this watch
    ready(now);
}

}  // namespace runtime::inline base
