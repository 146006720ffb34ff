// The one event loop of the process: what happens later, and on which file descriptor. A seam, so
// that tests run hours in microseconds. Everything runs on the thread that runs the loop; nothing
// locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace runtime {

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

    // The calendar: for what people read and for dates that others set. Someone may put it forward
    // or back.
    [[nodiscard]] virtual Time now() const = 0;
    // Only ever grows, from whatever it began with: for delays and deadlines.
    [[nodiscard]] virtual Duration uptime() const = 0;

    // Runs the task once, at the earliest `delay` from now and never inside this call.
    virtual TimerId after(Duration delay, std::function<void()> task) = 0;
    // Of a timer that has fired or was cancelled: nothing happens.
    virtual void cancel(TimerId id) = 0;

    // Calls `ready` again and again while the descriptor is as the interest says. A second call for
    // the same descriptor replaces the first; no interest ends it. The descriptor stays the
    // caller's, who ends the watching before closing it.
    virtual void watch(int descriptor, Interest interest, std::function<void(Interest)> ready) = 0;
};

}  // namespace runtime
