// The event loop of the process: timers and watched file descriptors. It is an interface so that
// tests can run hours in microseconds. Everything runs on the thread of the loop, so nothing needs
// a lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace runtime::inline base {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;  // UTC

using TimerId = std::uint64_t;

struct Interest {
    bool read = false;
    bool write = false;
};

class Loop {
public:
    Loop() = default;
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    virtual ~Loop() = default;

    // The wall clock: for times that people read and for dates that others set. It may be set
    // forward or back at any time.
    [[nodiscard]] virtual Time now() const = 0;
    // A monotonic clock with an arbitrary start, for delays and deadlines.
    [[nodiscard]] virtual Duration uptime() const = 0;

    // Runs the task once, at the earliest `delay` from now and never inside this call.
    virtual TimerId after(Duration delay, std::function<void()> task) = 0;
    // Does nothing if the timer has fired or was cancelled.
    virtual void cancel(TimerId id) = 0;

    // Calls `ready` repeatedly while the descriptor is ready for what `interest` asks for. A second
    // call for the same descriptor replaces the first; an empty interest ends the watch. The caller
    // keeps the descriptor, and must end the watch before closing it.
    virtual void watch(int descriptor, Interest interest, std::function<void(Interest)> ready) = 0;
};

}  // namespace runtime::inline base
