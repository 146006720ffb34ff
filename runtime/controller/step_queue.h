// Replicas that wait for their next step: so many at once, and each lane no more than its share, so
// that thousands that are new hold up neither each other's namespaces nor a proxy that has lost its
// key. Holds names alone; what is to be done is decided when a replica's turn comes.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace runtime {

enum class StepLane {
    Reissue,  // of a proxy that asks for a key: before all others
    Prepare,  // Secrets, notes, pods
    FirstKey,
    Tags,
    Remove
};
inline constexpr std::size_t kLanes = 5;
inline constexpr int kStepsAtOnce = 32;
inline constexpr int kRemovalsAtOnce = 8;

class StepQueue {
public:
    struct Turn {
        std::string pod;
        StepLane lane = StepLane::Prepare;
    };

    // `ns` is that of its parent: namespaces take turns. One that waits already changes its lane.
    void push(StepLane lane, std::string_view ns, const std::string& pod);
    void drop(std::string_view pod);
    // The next one, if there is room. To be ended with its lane.
    std::optional<Turn> next();
    void end(StepLane lane);
    [[nodiscard]] std::size_t waiting() const { return lanes_of_.size(); }

private:
    struct Waiting {
        std::map<std::string, std::deque<std::string>, std::less<>> pods;  // by namespace
        std::string last;  // the namespace whose turn it was
        int running = 0;
    };

    [[nodiscard]] bool has_room(StepLane lane) const;
    std::optional<std::string> take(StepLane lane);
    [[nodiscard]] Waiting& at(StepLane lane) { return waiting_[static_cast<std::size_t>(lane)]; }

    std::array<Waiting, kLanes> waiting_;
    std::map<std::string, StepLane, std::less<>> lanes_of_;  // of pods that wait
    std::size_t last_ = 0;                                   // the lane whose turn it was
    int running_ = 0;
};

}  // namespace runtime
