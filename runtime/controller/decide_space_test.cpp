// `decide` in all states that it can distinguish: what it never does, that its steps end whatever
// the tailnet answers, and that with honest pods every replica gets where it belongs.
#include "runtime/testing/decide_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace runtime::controller::decide_space {
namespace {

// Returns why the step is wrong, or "".
std::string objection(const World& w, const Step& step, const Concrete& concrete) {
    const bool is_wanted = w[kSet] == kWanted;
    const bool runs = w[kPod] == kYoungPod || w[kPod] == kOldPod;
    if (is_wanted && (is<step::Remove>(step) || is<step::MarkGone>(step))) {
        return "takes away what is wanted";
    }
    if (is<step::Remove>(step) && (w[kPod] != kNoPod || w[kMark] != kLongMarked)) {
        return "removes too early";
    }
    if ((is<step::RemoveState>(step) || is<step::LeaveTailnet>(step)) &&
        (!is_wanted || w[kMoved] == 0 ||
         (is<step::RemoveState>(step) && (runs || w[kAuth] != 0)))) {
        return "leaves its tailnet unasked";
    }
    const bool may_work = w[kKeyIs] == kYoungKey && w[kKeyTags] == 0 && w[kConfig] == 0;
    if (const auto* mint = std::get_if<step::MintKey>(&step)) {
        if (may_work || !is_wanted || w[kState] == 0 || w[kMoved] != 0) {
            return "mints a key too many";
        }
        if (!mint->device_to_delete.empty() && mint->device_to_delete != concrete.auth.device) {
            return "deletes a device that is not noted";
        }
    }
    if (const auto* note = std::get_if<step::NoteDevice>(&step);
        note != nullptr && !note->device_to_delete.empty() && note->device_to_delete != "n0") {
        return "deletes what is not noted, or what it notes";
    }
    const bool touches_tailnet = is<step::SpendKey>(step) || is<step::NoteDevice>(step) ||
                                 is<step::SetTags>(step) || is<step::LookForDevice>(step) ||
                                 is<step::LeaveTailnet>(step);
    if (touches_tailnet && (w[kAuth] == 0 || !is_wanted)) {
        return "nothing is noted";
    }
    const auto* tags = std::get_if<step::SetTags>(&step);
    if (tags != nullptr && (w[kNoted] == kNone || tags->device != concrete.auth.device)) {
        return "tags a device that is not noted";
    }
    const bool is_gone = w[kSeen] == kUnseen ? w[kGone] != 0 : w[kSeen] >= kGoneSight;
    if (is<step::SpendKey>(step) && (w[kNoted] != kSame || is_gone || w[kWants] != 0 ||
                                     w[kUid] + int{w[kKind] == kRecorder} == 0)) {
        return "spends a key that is still needed";
    }
    if (const auto* pod = std::get_if<step::DeletePod>(&step);
        pod != nullptr && (pod->uid != "pod-1" || w[kPod] == kLeaving ||
                           (w[kRestart] == 0 && w[kMoved] == 0) || !is_wanted)) {
        return "deletes a pod that need not end";
    }
    return {};
}

// The maximum number of steps that follow, whatever the tailnet answers, while nothing else
// changes.
class Steps {
public:
    int count(const World& world) {
        World w = world;
        w[kExists] = w[kUsable] = 0;  // steps do not see them
        const auto step = concrete_.decide(w);
        if (!step.has_value()) {
            return 0;
        }
        std::uint8_t first = 0;
        std::uint8_t& known = is_later(w) ? depths_.at(index_of(w) / 4) : first;
        if (known != 0) {  // also while it is computed: then there is a cycle
            return known;
        }
        known = kTooMany;
        int depth = 0;
        for (const bool is_there : {false, true}) {
            // A failed step is retried, with growing delays.
            const bool fails = !is_there && is<step::NoteDevice>(*step);
            depth = fails ? depth : std::max(depth, count(after(w, *step, is_there)));
        }
        known = static_cast<std::uint8_t>(std::min(depth + 1, int{kTooMany}));
        return known;
    }
    static constexpr std::uint8_t kTooMany = 20;

private:
    Concrete concrete_;
    std::vector<std::uint8_t> depths_ = std::vector<std::uint8_t>(later_worlds() / 4);
};

// What pods, kubelet and clock do while the controller is idle. Pods are honest; a key is valid
// until a device has joined with it.
class Surroundings {
public:
    static World go_on(World w) {
        const bool is_wanted = w[kSet] == kWanted;
        if (w[kPod] == kLeaving || (w[kPod] != kNoPod && !is_wanted)) {
            w[kPod] = w[kPod] == kLeaving ? int{kNoPod} : int{kLeaving};
        } else if (w[kPod] == kNoPod && is_wanted) {
            w[kPod] = kWaits;
            w[kUid] = w[kRestart] = 0;
        } else if (w[kPod] == kWaits && w[kState] != 0 && w[kAuth] != 0) {
            w[kPod] = kYoungPod;
            start(w);
        } else {
            pass_time(w);
        }
        return canonical(w);
    }
    static bool has_joined(const World& w) {
        const bool runs = w[kPod] == kYoungPod || w[kPod] == kOldPod;
        return runs && w[kExists] != 0 &&
               (w[kKind] == kRecorder || (w[kNamed] == kByPod && w[kUid] != 0));
    }

private:
    static bool asks(const World& w) {
        return w[kKind] == kProxy || w[kKind] == kGroup || (w[kKind] == kApi && w[kLate] != 0);
    }
    static void start(World& w) {
        const bool is_recorder = w[kKind] == kRecorder;
        w[kUid] = is_recorder ? 0 : 1;
        if (w[kNamed] == kByPod && (w[kLate] == 0 || is_recorder)) {
            w[kNamed] = kByProfile;
        }
        if (w[kExists] == 0 && w[kUsable] != 0 && w[kKeyIs] != kBlank) {  // another n1
            w[kNoted] = w[kNoted] == kSame ? int{kOther} : w[kNoted];
            w[kNamed] = kByProfile;
            w[kGone] = w[kSeen] = w[kUsable] = 0;
            w[kExists] = 1;
        }
        const bool joins = w[kExists] != 0;
        if (joins && !is_recorder) {
            w[kNamed] = kByPod;
        }
        w[kWants] = joins ? w[kWants] : int{asks(w)};
        w[kReady] = joins || w[kKind] == kProxy || is_recorder ? 1 : 0;
    }
    // The longest time that any rule waits.
    static void pass_time(World& w) {
        w[kSeen] = w[kSeen] == kUnseen     ? int{kUnseen}
                   : w[kSeen] < kGoneSight ? kGoneSight - 1
                                           : kRadix[kSeen] - 1;
        w[kKeyIs] = w[kKeyIs] == kBlank ? int{kBlank} : std::max(w[kKeyIs], int{kLongKey});
        w[kMark] = w[kMark] == kJustMarked ? int{kLongMarked} : w[kMark];
        if (w[kPod] == kYoungPod || w[kPod] == kOldPod) {
            w[kPod] = kOldPod;
            w[kReady] = has_joined(w) ? 1 : w[kReady];
            if (!has_joined(w) && (w[kKind] != kRecorder || w[kExists] != 0)) {  // it starts again
                start(w);
            }
        }
    }
};

// Follows a replica, with honest pods, until it gets where it belongs.
class Journey {
public:
    // Returns "" if it does.
    std::string trouble(const World& begin) {
        World w = begin;
        way_.clear();
        for (std::size_t turn = 0; turn < kTurns; ++turn) {
            if (is_later(w) && good_.at(index_of(w))) {
                break;
            }
            way_.push_back(is_later(w) ? index_of(w) : 0);
            const auto step = concrete_.decide(w);
            if (!step.has_value() && is_there(w)) {
                break;
            }
            const bool fails = step.has_value() && is<step::NoteDevice>(*step) && w[kExists] == 0;
            w = step.has_value() && !fails ? after(w, *step, w[kExists] != 0)
                                           : Surroundings::go_on(w);
            if (way_.size() == kTurns) {
                return "it does not get where it belongs";
            }
        }
        for (const std::uint64_t index : way_) {
            good_.at(index) = true;
        }
        return {};
    }
    std::string story(const World& begin) {
        World w = begin;
        std::string text;
        for (int turn = 0; turn < 12; ++turn) {
            const auto step = concrete_.decide(w);
            const bool fails = step.has_value() && is<step::NoteDevice>(*step) && w[kExists] == 0;
            text += fmt::format("\n  {}: {}", dump(w), step.has_value() ? describe(*step) : "-");
            w = step.has_value() && !fails ? after(w, *step, w[kExists] != 0)
                                           : Surroundings::go_on(w);
        }
        return text;
    }

private:
    static constexpr std::size_t kTurns = 80;

    static bool is_there(const World& w) {
        if (w[kSet] != kWanted) {
            return w[kState] == 0 && w[kAuth] == 0;
        }
        return Surroundings::has_joined(w) && w[kNoted] == kSame && w[kWords] != kNotAsked &&
               w[kKeyIs] == kBlank && w[kWants] == 0 && w[kTags] == 0 && w[kConfig] == 0;
    }
    Concrete concrete_;
    std::vector<std::uint64_t> way_;  // of one journey; a member so that its memory is reused
    std::vector<bool> good_ = std::vector<bool>(later_worlds());
};

TEST(DecideSpace, NothingForbiddenHappens) {
    Concrete concrete;
    std::size_t states = 0;
    std::size_t quiet = 0;
    int said = 0;
    each_world([&](const World& w) {
        ++states;
        const auto step = concrete.decide(w);
        quiet += step.has_value() ? 0 : 1;
        const std::string why = step.has_value() ? objection(w, *step, concrete) : std::string();
        if (!why.empty() && ++said <= 10) {
            ADD_FAILURE() << why << ": " << describe(*step) << " in " << dump(w);
        }
    });
    EXPECT_EQ(said, 0);
    fmt::print("{} states, {} of them quiet\n", states, quiet);
    EXPECT_GT(states, 1'000'000U);
}

TEST(DecideSpace, StepsComeToAnEndWhateverTheTailnetAnswers) {
    Steps steps;
    int most = 0;
    each_world([&](const World& w) {
        const int count = steps.count(w);
        if (count > most && count >= Steps::kTooMany) {
            ADD_FAILURE() << "turns in circles: " << dump(w);
        }
        most = std::max(most, count);
    });
    fmt::print("at most {} steps in a row\n", most);
    EXPECT_LE(most, 12);
}

TEST(DecideSpace, EveryReplicaGetsWhereItBelongs) {
    Journey journey;
    std::size_t worlds = 0;
    int said = 0;
    each_world([&](const World& state) {
        for (const int exists : {0, 1}) {
            for (const int usable : {0, 1}) {
                World w = state;
                w[kExists] = exists;
                w[kUsable] = usable;
                if (canonical(w) != w) {
                    continue;
                }
                ++worlds;
                const std::string trouble = journey.trouble(w);
                if (!trouble.empty() && ++said <= 3) {
                    ADD_FAILURE() << trouble << ": " << journey.story(w);
                }
            }
        }
    });
    EXPECT_EQ(said, 0);
    fmt::print("{} worlds\n", worlds);
}

}  // namespace
}  // namespace runtime::controller::decide_space
