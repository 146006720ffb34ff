// Replicas that wait for their next step. The number of steps at once is limited, in all and for
// each lane and each tailnet, so that thousands of new replicas do not delay other namespaces or a
// proxy that has lost its key, and a tailnet that does not answer does not delay another one. The
// queue holds only names; the step is decided when a replica's turn comes.
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
    Reissue,  // of a proxy that requests a key: before all others
    Prepare,  // Secrets, notes, pods
    FirstKey,
    Tags,
    Remove
};
inline constexpr std::size_t kLanes = 5;
inline constexpr int kStepsAtOnce = 32;
inline constexpr int kRemovalsAtOnce = 8;
// The limits of the controller's own tailnet, of another one, and of all others together.
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

    // Moves a replica that is already in the queue to this lane.
    void push(StepLane lane, const Group& group, const std::string& pod);
    void drop(std::string_view pod);
    // Returns the next turn, if there is room. The caller must `end` it.
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
    std::map<std::string, StepLane, std::less<>> lanes_of_;  // of waiting pods
    std::size_t last_ = 0;                                   // the lane whose turn it was
    int running_ = 0;
    std::map<std::string, int> of_tailnets_;  // running steps
};

}  // namespace runtime::controller
