// Replicas that wait for their next step: so many at once, and each lane and each tailnet no more
// than its share, so that neither thousands that are new hold up each other's namespaces or a proxy
// that has lost its key, nor a tailnet that does not answer those of another. Holds names alone;
// what is to be done is decided when a replica's turn comes.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace runtime::controller {

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
// Of the controller's own tailnet; of another one; of all others.
inline constexpr int kOwnTailnetAtOnce = 28;
inline constexpr int kTailnetAtOnce = 8;
inline constexpr int kOtherTailnetsAtOnce = 20;

class StepQueue {
public:
    struct Turn {
        std::string pod;
        StepLane lane = StepLane::Prepare;
        std::string tailnet;
    };
    struct Group {
        std::string ns;       // of its parent: namespaces take turns
        std::string tailnet;  // "": the controller's own

        auto operator<=>(const Group&) const = default;
    };

    // One that waits already changes its lane.
    void push(StepLane lane, const Group& group, const std::string& pod);
    void drop(std::string_view pod);
    // The next one, if there is room. To be ended.
    std::optional<Turn> next();
    void end(const Turn& turn);
    [[nodiscard]] std::size_t waiting() const { return lanes_of_.size(); }

private:
    struct Waiting {
        std::map<Group, std::deque<std::string>> pods;
        Group last;  // whose turn it was
        int running = 0;
    };

    [[nodiscard]] bool has_room(StepLane lane) const;
    [[nodiscard]] bool has_room(StepLane lane, const std::string& tailnet) const;
    std::optional<Turn> take(StepLane lane);
    [[nodiscard]] Waiting& at(StepLane lane) { return waiting_[static_cast<std::size_t>(lane)]; }

    std::array<Waiting, kLanes> waiting_;
    std::map<std::string, StepLane, std::less<>> lanes_of_;  // of pods that wait
    std::size_t last_ = 0;                                   // the lane whose turn it was
    int running_ = 0;
    std::map<std::string, int> of_tailnets_;  // that run
};

}  // namespace runtime::controller
