#include "runtime/controller/step_queue.h"

#include <utility>

namespace runtime {

namespace {

// At once, of each lane.
constexpr std::array<int, kLanes> kShares = {24, 20, 16, 4, kRemovalsAtOnce};
// Kept for proxies that ask for a key.
constexpr int kReserved = 4;

}  // namespace

void StepQueue::push(StepLane lane, std::string_view ns, const std::string& pod) {
    const auto [known, is_new] = lanes_of_.try_emplace(pod, lane);
    if (is_new || std::exchange(known->second, lane) != lane) {
        at(lane).pods[std::string(ns)].push_back(pod);
    }
}

void StepQueue::drop(std::string_view pod) {
    if (const auto known = lanes_of_.find(pod); known != lanes_of_.end()) {
        lanes_of_.erase(known);
    }
}

bool StepQueue::has_room(StepLane lane) const {
    const int all = lane == StepLane::Reissue ? kStepsAtOnce : kStepsAtOnce - kReserved;
    const auto index = static_cast<std::size_t>(lane);
    return running_ < all && waiting_[index].running < kShares[index];
}

// What stands in a lane may have left it since.
std::optional<std::string> StepQueue::take(StepLane lane) {
    Waiting& waiting = at(lane);
    while (!waiting.pods.empty()) {
        auto ns = waiting.pods.upper_bound(waiting.last);
        ns = ns == waiting.pods.end() ? waiting.pods.begin() : ns;
        waiting.last = ns->first;
        std::string pod = std::move(ns->second.front());
        ns->second.pop_front();
        if (ns->second.empty()) {
            waiting.pods.erase(ns);
        }
        if (const auto known = lanes_of_.find(pod);
            known != lanes_of_.end() && known->second == lane) {
            lanes_of_.erase(known);
            return pod;
        }
    }
    return std::nullopt;
}

std::optional<StepQueue::Turn> StepQueue::next() {
    for (std::size_t i = 0; i < kLanes; ++i) {
        // The first lane always, the others by turns.
        const std::size_t index = i == 0 ? 0 : 1 + (last_ + i) % (kLanes - 1);
        const auto lane = static_cast<StepLane>(index);
        if (!has_room(lane)) {
            continue;
        }
        if (auto pod = take(lane)) {
            last_ = index == 0 ? last_ : index - 1;
            ++running_;
            ++at(lane).running;
            return Turn{.pod = std::move(*pod), .lane = lane};
        }
    }
    return std::nullopt;
}

void StepQueue::end(StepLane lane) {
    --running_;
    --at(lane).running;
}

}  // namespace runtime
