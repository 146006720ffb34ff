#include "runtime/controller/step_queue.h"

#include <iterator>
#include <utility>

namespace runtime::controller {

namespace {

// How many steps of each lane run at once.
constexpr std::array<int, kLanes> kShares = {kStepsAtOnce, 20, 16, 4, kRemovalsAtOnce};
// Reserved for proxies that request a key.
constexpr int kReserved = 4;

}  // namespace

void StepQueue::push(StepLane lane, const Group& group, const std::string& pod) {
    const auto [known, is_new] = lanes_of_.try_emplace(pod, lane);
    if (is_new || std::exchange(known->second, lane) != lane) {
        at(lane).pods[group].push_back(pod);
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

bool StepQueue::has_room(StepLane lane, const std::string& tailnet) const {
    const auto running = of_tailnets_.find(tailnet);
    const int its = running == of_tailnets_.end() ? 0 : running->second;
    if (tailnet.empty()) {
        return its < kOwnTailnetAtOnce - (lane == StepLane::Reissue ? 0 : kReserved);
    }
    const auto own = of_tailnets_.find("");
    const int others = running_ - (own == of_tailnets_.end() ? 0 : own->second);
    return its < kTailnetAtOnce && others < kOtherTailnetsAtOnce;
}

// A pod that is listed in a lane may have left it.
std::optional<StepQueue::Turn> StepQueue::take(StepLane lane) {
    Waiting& waiting = at(lane);
    std::size_t groups = waiting.pods.size();
    auto group = waiting.pods.upper_bound(waiting.last);
    while (groups > 0) {
        group = group == waiting.pods.end() ? waiting.pods.begin() : group;
        if (group->second.empty() || !has_room(lane, group->first.tailnet)) {
            group = group->second.empty() ? waiting.pods.erase(group) : std::next(group);
            --groups;
            continue;
        }
        std::string pod = std::move(group->second.front());
        group->second.pop_front();
        const auto known = lanes_of_.find(pod);
        if (known == lanes_of_.end() || known->second != lane) {
            continue;
        }
        lanes_of_.erase(known);
        waiting.last = group->first;
        return Turn{.pod = std::move(pod), .lane = lane, .tailnet = group->first.tailnet};
    }
    return std::nullopt;
}

std::optional<StepQueue::Turn> StepQueue::next() {
    for (std::size_t i = 0; i < kLanes; ++i) {
        // The first lane always comes first, the others take turns.
        const std::size_t index = i == 0 ? 0 : 1 + (last_ + i) % (kLanes - 1);
        const auto lane = static_cast<StepLane>(index);
        if (!has_room(lane)) {
            continue;
        }
        if (auto turn = take(lane)) {
            last_ = index == 0 ? last_ : index - 1;
            ++running_;
            ++at(lane).running;
            ++of_tailnets_[turn->tailnet];
            return turn;
        }
    }
    return std::nullopt;
}

void StepQueue::end(const Turn& turn) {
    --running_;
    --at(turn.lane).running;
    if (--of_tailnets_[turn.tailnet] == 0) {
        of_tailnets_.erase(turn.tailnet);
    }
}

}  // namespace runtime::controller
