// Room for the bodies that recorders are told, which are in memory until they
// have been: so much for all of them, and for one caller's a share, so that no
// one keeps others from theirs. Whoever finds no room waits for it, in turn;
// who waits for room in his own share holds up no one else.
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
        std::size_t of_one = std::size_t{16} << 20U;  // of one caller; no body is larger
    };
    // The loop outlives it, and it outlives the places.
    explicit BodyBudget(Loop& loop) : BodyBudget(loop, Limits()) {}
    BodyBudget(Loop& loop, Limits limits) : loop_(loop), limits_(limits) {}
    ~BodyBudget();
    BodyBudget(const BodyBudget&) = delete;
    BodyBudget& operator=(const BodyBudget&) = delete;

    // Room for one body, or a place among those who wait for it. Destroyed, it
    // gives that back.
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
        std::list<Place*>::iterator at_;  // while it waits
    };
    // `granted` is called once there is room, later than now.
    std::unique_ptr<Place> ask(const std::string& caller, std::size_t bytes,
                               std::function<void()> granted);

private:
    void plan();
    void grant();

    Loop& loop_;
    Limits limits_;
    std::size_t used_ = 0;
    std::map<std::string, std::size_t> used_by_;
    std::list<Place*> waiting_;  // in the order in which they have come
    TimerId timer_ = 0;
    bool is_planned_ = false;
};

}  // namespace runtime::api_proxy
