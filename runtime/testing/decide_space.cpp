#include "runtime/testing/decide_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "runtime/base/time_text.h"
#include "runtime/controller/keys/device_notes.h"

namespace runtime::controller::decide_space {

namespace {

void put(Text& text, std::string_view value) {
    if (text != value) {
        text = value;
    }
}

}  // namespace

std::string dump(const World& w) {
    constexpr std::array<const char*, kFields> kNames = {
        "set",   "moved",  "stray",   "mark",  "kind",  "state", "named",  "uid",
        "wants", "late",   "auth",    "noted", "gone",  "words", "key",    "keytags",
        "tags",  "config", "restart", "pod",   "ready", "seen",  "exists", "usable"};
    std::string text;
    for (std::size_t i = 0; i < kFields; ++i) {
        text += fmt::format("{}={} ", kNames.at(i), w.at(i));
    }
    return text;
}

std::uint64_t index_of(const World& w) {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < kFields; ++i) {
        index =
            index * static_cast<std::uint64_t>(kRadix.at(i)) + static_cast<std::uint64_t>(w.at(i));
    }
    return index;
}

bool is_later(const World& w) {
    return w[kSet] == kWanted && w[kMoved] == 0 && w[kStray] == 0 && w[kMark] == kUnmarked;
}
std::uint64_t later_worlds() {
    std::uint64_t all = 1;
    for (std::size_t field = kKind; field < kFields; ++field) {
        all *= static_cast<std::uint64_t>(kRadix.at(field));
    }
    return all;
}

World canonical(World w) {
    const auto clear = [&w](std::initializer_list<Field> fields) {
        for (const Field field : fields) {
            w.at(field) = 0;
        }
    };
    if (w[kState] == 0) {
        clear({kNamed, kUid, kWants, kLate});
    }
    if (w[kAuth] == 0) {
        clear({kNoted, kGone, kKeyIs, kTags, kRestart});
    }
    if (w[kState] == 0 && w[kAuth] == 0) {
        clear({kMark});
    }
    if (w[kNamed] == kNothing) {
        clear({kGone, kSeen, kExists});
        w[kNoted] = w[kNoted] == kSame ? int{kOther} : w[kNoted];
    }
    if (w[kNoted] != kSame) {
        clear({kWords});
    }
    if (w[kNoted] == kNone) {
        clear({kTags});
    }
    if (w[kKeyIs] == kBlank) {
        clear({kKeyTags, kUsable});
    }
    if (w[kKind] != kApi || w[kAuth] == 0) {
        clear({kConfig});
    }
    if (w[kPod] < kYoungPod || (w[kLate] == 0 && w[kKind] != kRecorder)) {
        clear({kReady});
    }
    if (w[kKind] == kRecorder) {
        clear({kUid});
    }
    if (w[kPod] == kNoPod) {
        clear({kUid, kRestart});
    }
    if (w[kState] == 0 && w[kAuth] == 0) {
        clear({kMoved});
    }
    return w;
}

Concrete::Concrete() {
    set.tags = "tag:k8s";
    state.node_id = "n1";
    auth.name = "a-0-auth";
    auth.key_id = "k1";
    auth.device_name = "web.ts.net";
    auth.device_addresses = "100.64.0.1";
    pod.uid = "pod-1";
}

std::optional<controller::Step> Concrete::decide(const World& w) {
    set_up(w);
    last_ = w;
    return runtime::controller::decide(replica, kNow, kDelay);
}

// True if a field has changed since the last world: most fields have not.
bool Concrete::differs(const World& w, std::initializer_list<Field> fields) const {
    return !last_.has_value() || std::any_of(fields.begin(), fields.end(), [&](Field field) {
        return w.at(field) != last_->at(field);
    });
}

void Concrete::set_up(const World& w) {
    static const Text kParents[] = {"Service/apps/web", "ProxyGroup/g", "ProxyGroup/k",
                                    "Recorder/r"};
    if (differs(w, {kKind})) {
        set.parent = kParents[w[kKind]];
    }
    set.is_api_proxy = w[kKind] == kApi;
    set.replicas = w[kSet] == kWanted ? 1 : 0;
    put(set.tailnet, w[kMoved] != 0 ? std::string_view("partner") : std::string_view(""));
    if (differs(w, {kNamed, kUid, kWants, kLate, kWords})) {
        set_up_state(w);
    }
    if (differs(w, {kKind, kNoted, kGone, kWords, kKeyIs, kKeyTags, kTags, kConfig, kRestart})) {
        set_up_auth(w);
    }
    set_up_mark(w);
    pod.leaving = w[kPod] == kLeaving;
    pod.ready = w[kReady] != 0;
    pod.started_at.reset();
    if (w[kPod] >= kYoungPod) {
        pod.started_at = kNow - (w[kPod] == kYoungPod ? kMinute : kHour);
    }
    replica.pod_name = "a-0";
    replica.set = w[kSet] == kNoSet ? nullptr : &set;
    replica.state = w[kState] != 0 ? &state : nullptr;
    replica.auth = w[kAuth] != 0 ? &auth : nullptr;
    replica.stray = w[kStray] != 0 ? &stray : nullptr;
    replica.pod = w[kPod] != kNoPod ? &pod : nullptr;
    replica.config = w[kKind] == kApi ? "{}" : "";
    replica.answer.reset();
    if (w[kSeen] != kUnseen) {
        const bool is_gone = w[kSeen] >= kGoneSight;
        int age = w[kSeen] - (is_gone ? kGoneSight : int{kThere});
        age = is_gone && age > 0 ? age + 2 : age;
        replica.answer = {.is_gone = is_gone, .age = kSeenAges.at(static_cast<std::size_t>(age))};
    }
}

// If there is an auth Secret, a mark of a pod on its state Secret has no effect.
void Concrete::set_up_mark(const World& w) {
    static const std::array<std::string, 4> kMarks = {"", format_seconds(kNow - kMinute),
                                                      format_seconds(kNow - kHour), "yesterday"};
    const std::string& mark = kMarks.at(static_cast<std::size_t>(w[kMark]));
    put(auth.gone_since, mark);
    put(state.gone_since, w[kAuth] != 0 ? std::string_view(kMarks[2]) : std::string_view(mark));
}

void Concrete::set_up_state(const World& w) {
    put(state.node_id, w[kNamed] == kNothing ? std::string_view("") : std::string_view("n1"));
    put(state.device_id, w[kNamed] == kByPod ? std::string_view("n1") : std::string_view(""));
    put(state.pod_uid, w[kUid] != 0 ? std::string_view("pod-1") : std::string_view("pod-0"));
    state.wants_key = w[kWants] != 0;
    put(state.capability_version,
        w[kLate] != 0 ? std::string_view("138") : std::string_view("133"));
    // A Recorder has no `device_fqdn`: the name in the profile is used.
    const bool agrees = w[kWords] < kNewWords;
    put(state.device_fqdn,
        agrees ? std::string_view("web.ts.net.") : std::string_view("mail.ts.net."));
    put(state.login_name,
        agrees ? std::string_view("web.ts.net") : std::string_view("mail.ts.net"));
}

void Concrete::set_up_auth(const World& w) {
    static const std::string kDigest = [] {
        controller::StateSecret said;
        said.device_id = "n1";
        said.device_fqdn = "mail.ts.net.";
        return controller::digest_of_words(said);
    }();
    put(auth.device, w[kNoted] == kNone   ? std::string_view("")
                     : w[kNoted] == kSame ? std::string_view("n1")
                                          : std::string_view("n0"));
    put(auth.device_gone, w[kGone] != 0 ? std::string_view("n1") : std::string_view(""));
    put(auth.device_words, w[kWords] == kNotAsked   ? std::string_view("")
                           : w[kWords] == kOldWords ? std::string_view(kDigest)
                                                    : std::string_view("-"));
    auth.blank = w[kKeyIs] == kBlank;
    auth.key_created.reset();
    auth.key_expires.reset();
    if (!auth.blank) {
        constexpr std::array<Duration, 5> kAges = {Duration(0), kMinute, 5 * kMinute, 20 * kMinute,
                                                   23 * kHour};
        auth.key_created = kNow - kAges.at(static_cast<std::size_t>(w[kKeyIs]));
        auth.key_expires = *auth.key_created + 24 * kHour;
    }
    put(auth.key_tags, auth.blank         ? std::string_view("")
                       : w[kKeyTags] != 0 ? std::string_view("tag:old")
                                          : std::string_view("tag:k8s"));
    put(auth.device_tags,
        w[kTags] != 0 ? std::string_view("tag:old") : std::string_view("tag:k8s"));
    put(auth.config, w[kKind] == kApi ? (w[kConfig] != 0 ? std::string_view("{\"old\":1}")
                                                         : std::string_view("{}"))
                                      : std::string_view(""));
    put(auth.restart_pod, w[kRestart] != 0 ? std::string_view("pod-1") : std::string_view(""));
}

World after(World w, const controller::Step& step, bool is_there) {
    struct Effects {
        World& w;
        bool is_there;

        void operator()(const step::CreateState&) const { w[kState] = 1; }
        void operator()(const step::ReleaseState&) const { w[kState] = 0; }
        void operator()(const step::CreateBlankAuth&) const { w[kAuth] = 1; }
        void operator()(const step::DeliverKey&) const {}  // no replica here is apart
        void operator()(const step::MintKey& mint) const {
            w[kAuth] = w[kUsable] = 1;
            w[kKeyIs] = kYoungKey;
            w[kKeyTags] = w[kConfig] = 0;
            w[kRestart] = mint.restart_pod.empty() ? 0 : 1;
            w[kGone] = mint.device_gone.empty() ? w[kGone] : 1;
        }
        void operator()(const step::ClearRequest&) const { w[kWants] = 0; }
        void operator()(const step::DeletePod&) const { w[kPod] = kLeaving; }
        void operator()(const step::SpendKey&) const { w[kKeyIs] = w[kRestart] = 0; }
        void operator()(const step::NoteDevice&) const {
            if (is_there) {
                w[kWords] = w[kNoted] != kSame || w[kWords] == kNotAsked ? int{kAgreed} : w[kWords];
                w[kWords] = w[kWords] == kNewWords ? int{kOldWords} : w[kWords];
                w[kNoted] = kSame;
                w[kGone] = w[kRestart] = 0;
                w[kSeen] = kThere;
            }
        }
        void operator()(const step::SetTags&) const { w[kTags] = 0; }
        void operator()(const step::LookForDevice&) const {
            w[kSeen] = is_there ? int{kThere} : kGoneSight;
        }
        void operator()(const step::WriteConfig&) const { w[kConfig] = 0; }
        void operator()(const step::RemoveStray&) const { w[kStray] = 0; }
        void operator()(const step::LeaveTailnet&) const { w[kAuth] = w[kExists] = 0; }
        void operator()(const step::RemoveState&) const { w[kState] = w[kMoved] = 0; }
        void operator()(const step::MarkGone&) const { w[kMark] = kJustMarked; }
        void operator()(const step::UnmarkGone&) const { w[kMark] = kUnmarked; }
        void operator()(const step::Remove&) const { w[kState] = w[kAuth] = 0; }
    };
    std::visit(Effects{w, is_there}, step);
    return canonical(w);
}

namespace {

class Space {
public:
    void each(const std::function<void(const World&)>& use) {
        World w{};
        fill(w, 0, use);
    }

private:
    void fill(World& w, std::size_t field, const std::function<void(const World&)>& use) {
        if (field == kExists) {
            w[kExists] = w[kUsable] = 0;
            if (canonical(w) == w) {
                use(w);
            }
            return;
        }
        // A later field may have no effect because of the earlier fields alone.
        for (int value = 0; value < kRadix.at(field); ++value) {
            w.at(field) = value;
            if ((field == kSeen && value > kThere && !is_later(w)) ||
                (field == kKeyIs && value > kYoungKey && !is_later(w)) ||
                (field == kWords && value > kAgreed && !is_later(w))) {
                break;
            }
            if (value > 0 && !says_something(w, field)) {
                break;
            }
            fill(w, field + 1, use);
        }
        w.at(field) = 0;
    }
    static bool says_something(const World& w, std::size_t field) {
        World rest = w;
        for (std::size_t later = field + 1; later < kFields; ++later) {
            rest.at(later) = kRadix.at(later) - 1;
        }
        return canonical(rest).at(field) == w.at(field);
    }
};

}  // namespace

void each_world(const std::function<void(const World&)>& use) {
    Space().each(use);
}

}  // namespace runtime::controller::decide_space
