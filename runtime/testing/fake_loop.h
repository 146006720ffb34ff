// A loop whose time passes only when a test lets it. Several processes may share one: each has a
// ProcessLoop, and its timers end with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "runtime/base/loop.h"

namespace runtime {

class FakeLoop : public Loop {
public:
    [[nodiscard]] Time now() const override { return calendar_ + uptime_; }
    [[nodiscard]] Duration uptime() const override { return uptime_; }
    // Sets the calendar, but not the uptime.
    void shift_calendar(Duration by) { calendar_ += by; }
    TimerId after(Duration delay, std::function<void()> task) override {
        const TimerId id = next_++;
        tasks_.emplace(std::pair(uptime_ + delay, id), std::move(task));
        return id;
    }
    void cancel(TimerId id) override {
        std::erase_if(tasks_, [id](const auto& task) { return task.first.second == id; });
    }
    void watch(int, Interest, std::function<void(Interest)>) override {}

    // Runs the next task. Returns false if there is none before `end`, an uptime.
    bool step(Duration end) {
        if (tasks_.empty() || tasks_.begin()->first.first > end) {
            return false;
        }
        auto task = tasks_.extract(tasks_.begin());
        uptime_ = std::max(uptime_, task.key().first);
        task.mapped()();
        return true;
    }
    void run_for(Duration duration) {
        const Duration end = uptime_ + duration;
        while (step(end)) {
        }
        uptime_ = end;
    }

private:
    Time calendar_ = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);  // at uptime 0
    Duration uptime_ = {};
    TimerId next_ = 1;
    std::map<std::pair<Duration, TimerId>, std::function<void()>> tasks_;
};

// The loop of one process; its timers end with it.
class ProcessLoop : public Loop {
public:
    explicit ProcessLoop(FakeLoop& world) : world_(world) {}

    [[nodiscard]] Time now() const override { return world_.now(); }
    [[nodiscard]] Duration uptime() const override { return world_.uptime(); }
    TimerId after(Duration delay, std::function<void()> task) override {
        return world_.after(delay, [alive = std::weak_ptr(alive_), task = std::move(task)] {
            if (!alive.expired()) {
                task();
            }
        });
    }
    void cancel(TimerId id) override { world_.cancel(id); }
    void watch(int, Interest, std::function<void(Interest)>) override {}

private:
    FakeLoop& world_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace runtime
