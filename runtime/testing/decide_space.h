// All states that `decide` can distinguish, for tests of it.
//
// A state is abstract: n1 is the device that the state Secret names, there is one age on each side
// of every threshold, and a field that has no effect in a state has one value there. The pod to
// restart is the present one, or not. A replica of a ProxyGroup differs from a proxy only by its
// readiness probe, which only the model of pods has.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "runtime/controller/decide.h"
#include "runtime/testing/durations.h"

namespace runtime::controller::decide_space {

inline const Time kNow = std::chrono::sys_days(std::chrono::year(2026) / 6 / 1);
inline constexpr Duration kDelay = std::chrono::minutes(5);
inline constexpr Duration kHour = std::chrono::hours(1);

enum Kind { kProxy, kGroup, kApi, kRecorder };
enum Set { kWanted, kScaledDown, kNoSet };
enum Named { kNothing, kByProfile, kByPod };  // how the state Secret names the device
enum Noted { kNone, kOther, kSame };          // the device, on the auth Secret
enum Words { kNotAsked, kAgreed, kNewWords, kOldWords };
enum Key { kBlank, kYoungKey, kKey, kLongKey, kEndingKey };
enum PodIs { kNoPod, kLeaving, kWaits, kYoungPod, kOldPod };
enum Seen { kUnseen, kThere };  // kThere + age, then kGoneSight + age
enum Mark { kUnmarked, kJustMarked, kLongMarked, kUnreadable };
inline constexpr std::array<Duration, 5> kSeenAges = {Duration(0), std::chrono::seconds(45),
                                                      5 * kMinute, 15 * kMinute, 2 * kHour};
// A device that does not exist has only the first, the fourth and the fifth age.
inline constexpr int kGoneSight = kThere + int{kSeenAges.size()};

enum Field {
    // The fields that are looked at first.
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
    // The fields of the model alone: the tailnet has n1; the key is valid.
    kExists,
    kUsable,
    kFields
};
// The number of values of each field.
inline constexpr std::array<int, kFields> kRadix = {3, 2, 2, 4, 4, 2, 3, 2, 2, 2, 2, 3,
                                                    2, 4, 5, 2, 2, 2, 2, 5, 2, 9, 2, 2};
using World = std::array<int, kFields>;

std::string dump(const World& w);
std::uint64_t index_of(const World& w);
// True if the fields that are looked at first have no effect. Such worlds can be remembered by
// their index, which is less than `later_worlds`.
bool is_later(const World& w);
std::uint64_t later_worlds();
// Returns the world with the first value in each field that has no effect.
World canonical(World w);

// The replica of such a world.
class Concrete {
public:
    Concrete();
    std::optional<controller::Step> decide(const World& w);

    controller::ProxySet set;
    controller::StateSecret state;
    controller::AuthSecret auth, stray;
    controller::Pod pod;
    controller::Replica replica;

private:
    [[nodiscard]] bool differs(const World& w, std::initializer_list<Field> fields) const;
    void set_up(const World& w);
    void set_up_mark(const World& w);
    void set_up_state(const World& w);
    void set_up_auth(const World& w);

    std::optional<World> last_;
};

template <typename T>
bool is(const controller::Step& step) {
    return std::holds_alternative<T>(step);
}

// Returns the world after a step. `is_there` is whether the tailnet has n1.
World after(World w, const controller::Step& step, bool is_there);

// Calls `use` for all of them, except that the fields that are looked at first (another type, a
// mark, a move, no StatefulSet) are not combined with every answer of the tailnet and every age of
// a key.
void each_world(const std::function<void(const World&)>& use);

}  // namespace runtime::controller::decide_space
