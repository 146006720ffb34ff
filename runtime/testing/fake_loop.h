// A loop whose time passes when a test says so. Several processes live in one: each has a Process,
// and what a process had planned dies with it.
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
    [[nodiscard]] Time now() const override { return now_; }
    TimerId after(Duration delay, std::function<void()> task) override {
        const TimerId id = next_++;
        tasks_.emplace(std::pair(now_ + delay, id), std::move(task));
        return id;
    }
    void cancel(TimerId id) override {
        std::erase_if(tasks_, [id](const auto& task) { return task.first.second == id; });
    }
    void watch(int, Interest, std::function<void(Interest)>) override {}

    // The next task; false: there is none before `end`.
    bool step(Time end) {
        if (tasks_.empty() || tasks_.begin()->first.first > end) {
            return false;
        }
        auto task = tasks_.extract(tasks_.begin());
        now_ = std::max(now_, task.key().first);
        task.mapped()();
        return true;
    }
    void run_for(Duration duration) {
        const Time end = now_ + duration;
        while (step(end)) {
        }
        now_ = end;
    }

private:
    Time now_ = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
    TimerId next_ = 1;
    std::map<std::pair<Time, TimerId>, std::function<void()>> tasks_;
};

// A process in such a loop: ends with its timers.
class ProcessLoop : public Loop {
public:
    explicit ProcessLoop(FakeLoop& world) : world_(world) {}

    [[nodiscard]] Time now() const override { return world_.now(); }
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
