// All states that `decide` can tell apart, for tests of it.
//
// A state is abstract: n1 is the device that the state Secret names, ages are one on each side of
// every threshold, and fields that say nothing in a state have one value there. The pod to restart
// is the one that there is, or not. A ProxyGroup's replica differs from a proxy by its readiness
// probe alone, which only the model of pods knows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "runtime/controller/decide.h"
#include "runtime/testing/durations.h"

namespace runtime::decide_space {

inline const Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
inline constexpr Duration kDelay = std::chrono::minutes(5);
inline constexpr Duration kHour = std::chrono::hours(1);

enum Kind { kProxy, kGroup, kApi, kRecorder };
enum Set { kWanted, kScaledDown, kNoSet };
enum Named { kNothing, kByProfile, kByPod };  // the device, in the state Secret
enum Noted { kNone, kOther, kSame };          // the device, on the auth Secret
enum Words { kNotAsked, kAgreed, kNewWords, kOldWords };
enum Key { kBlank, kYoungKey, kKey, kLongKey, kEndingKey };
enum PodIs { kNoPod, kLeaving, kWaits, kYoungPod, kOldPod };
enum Seen { kUnseen, kThere };  // kThere + age, then gone + age
enum Mark { kUnmarked, kJustMarked, kLongMarked, kUnreadable };
inline constexpr std::array<Duration, 5> kSeenAges = {Duration(0), std::chrono::seconds(45),
                                                      5 * kMinute, 15 * kMinute, 2 * kHour};
// Of those that are gone the first, the fourth and the fifth age.
inline constexpr int kGoneSight = kThere + int{kSeenAges.size()};

enum Field {
    // What is looked at first.
    kSet,
    kMoved,
    kStray,
    kMark,
    kKind,
    kState,
    kNamed,
    kUid,
    kWants,
    kLate,
    kAuth,
    kNoted,
    kGone,
    kWords,
    kKeyIs,
    kKeyTags,
    kTags,
    kConfig,
    kRestart,
    kPod,
    kReady,
    kSeen,
    // Of the model alone: the tailnet has n1; the key is good.
    kExists,
    kUsable,
    kFields
};
// How many values each has.
inline constexpr std::array<int, kFields> kRadix = {3, 2, 2, 4, 4, 2, 3, 2, 2, 2, 2, 3,
                                                    2, 4, 5, 2, 2, 2, 2, 5, 2, 9, 2, 2};
using World = std::array<int, kFields>;

std::string dump(const World& w);
std::uint64_t index_of(const World& w);
// What is looked at first says nothing there: these can be remembered, by their index, which is
// less than `later_worlds`.
bool is_later(const World& w);
std::uint64_t later_worlds();
// What says nothing in this state gets its first value.
World canonical(World w);

// The replica that such a world has.
class Concrete {
public:
    Concrete();
    std::optional<Step> decide(const World& w);

    ProxySet set;
    StateSecret state;
    AuthSecret auth, stray;
    Pod pod;
    Replica replica;

private:
    [[nodiscard]] bool differs(const World& w, std::initializer_list<Field> fields) const;
    void set_up(const World& w);
    void set_up_mark(const World& w);
    void set_up_state(const World& w);
    void set_up_auth(const World& w);

    std::optional<World> last_;
};

template <typename T>
bool is(const Step& step) {
    return std::holds_alternative<T>(step);
}

// The world after a step. `is_there`: what the tailnet says of n1.
World after(World w, const Step& step, bool is_there);

// All of them, but that what is looked at first (another type, a mark, a move, no StatefulSet) is
// not combined with every answer of the tailnet and every age of a key.
void each_world(const std::function<void(const World&)>& use);

}  // namespace runtime::decide_space
