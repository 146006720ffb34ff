// The memory budget for request bodies that are reported to recorders and kept until then: a total
// for all callers, and a share for each, so that no caller can use it all. Requests without room
// wait in order. A request that waits for room in its caller's share does not block other callers.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "runtime/base/loop.h"

namespace runtime::api_proxy {

class BodyBudget {
public:
    struct Limits {
        std::size_t all = std::size_t{64} << 20U;     // bytes
        std::size_t of_one = std::size_t{16} << 20U;  // per caller; no body takes more
    };
    // The loop must outlive the budget, and the budget the places.
    explicit BodyBudget(Loop& loop) : BodyBudget(loop, Limits()) {}
    BodyBudget(Loop& loop, Limits limits) : loop_(loop), limits_(limits) {}
    ~BodyBudget();
    BodyBudget(const BodyBudget&) = delete;
    BodyBudget& operator=(const BodyBudget&) = delete;

    // Room for one body, or a place in the queue for it. The destructor gives it back.
    class Place {
    public:
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        [[nodiscard]] bool has_room() const { return has_room_; }

    private:
        friend BodyBudget;
        Place(BodyBudget& budget, std::string caller, std::size_t bytes,
              std::function<void()> granted);

        BodyBudget& budget_;
        std::string caller_;
        std::size_t bytes_;
        std::function<void()> granted_;
        bool has_room_ = false;
        std::list<Place*>::iterator at_;  // while waiting
    };
    // `granted` is called once there is room, and never inside this call.
    std::unique_ptr<Place> ask(const std::string& caller, std::size_t bytes,
                               std::function<void()> granted);

private:
    void plan();
    void grant();

    Loop& loop_;
    Limits limits_;
    std::size_t used_ = 0;
    std::map<std::string, std::size_t> used_by_;
    std::list<Place*> waiting_;  // in order of arrival
    TimerId timer_ = 0;
    bool is_planned_ = false;
};

}  // namespace runtime::api_proxy
