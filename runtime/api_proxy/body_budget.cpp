#include "runtime/api_proxy/body_budget.h"

#include <algorithm>
#include <utility>

namespace runtime::api_proxy {

BodyBudget::Place::Place(BodyBudget& budget, std::string caller, std::size_t bytes,
                         std::function<void()> granted)
    : budget_(budget),
      caller_(std::move(caller)),
      bytes_(std::min(bytes, budget.limits_.of_one)),
      granted_(std::move(granted)),
      at_(budget.waiting_.insert(budget.waiting_.end(), this)) {
    budget_.plan();
}

BodyBudget::Place::~Place() {
    if (!has_room_) {
        budget_.waiting_.erase(at_);
        return;
    }
    budget_.used_ -= bytes_;
    if (const auto found = budget_.used_by_.find(caller_); (found->second -= bytes_) == 0) {
        budget_.used_by_.erase(found);
    }
    budget_.plan();
}

BodyBudget::~BodyBudget() {
    loop_.cancel(timer_);
}

std::unique_ptr<BodyBudget::Place> BodyBudget::ask(const std::string& caller, std::size_t bytes,
                                                   std::function<void()> granted) {
    return std::unique_ptr<Place>(new Place(*this, caller, bytes, std::move(granted)));
}

// Calls `grant` later, not inside the call that asks or gives back.
void BodyBudget::plan() {
    if (!waiting_.empty() && !std::exchange(is_planned_, true)) {
        timer_ = loop_.after({}, [this] {
            is_planned_ = false;
            grant();
        });
    }
}

// Skips bodies whose caller has used up its share. The first body that does not fit into the total
// blocks those after it, so that small bodies do not keep a large one waiting forever.
void BodyBudget::grant() {
    for (auto next = waiting_.begin(); next != waiting_.end();) {
        Place& place = **next;
        const auto own = used_by_.find(place.caller_);
        const std::size_t used = own == used_by_.end() ? 0 : own->second;
        if (used + place.bytes_ > limits_.of_one) {
            ++next;
            continue;
        }
        if (used_ + place.bytes_ > limits_.all) {
            return;
        }
        waiting_.erase(next);
        place.has_room_ = true;
        used_ += place.bytes_;
        used_by_[place.caller_] += place.bytes_;
        std::exchange(place.granted_, nullptr)();  // may change all of this
        return plan();
    }
}

}  // namespace runtime::api_proxy
