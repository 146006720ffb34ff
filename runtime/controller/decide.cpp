#include "runtime/controller/decide.h"

#include <algorithm>

#include "renderer/contract/state_secret.h"
#include "renderer/kube/kinds.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/keys/device_notes.h"

namespace runtime::controller {

namespace {

// From this capability version on (1.98) a starting pod keeps what its state Secret says about its
// device.
constexpr int kKeepsDevice = 134;

bool keeps_device(const Replica& replica) {
    return replica.state->capability() >= kKeepsDevice;
}

// Kubernetes replaces no pod of a StatefulSet while one is not ready, even if the new template
// would fix it. Source: kubernetes v1.35.4 pkg/controller/statefulset/stateful_set_control.go
// (processReplica).
bool is_held_back(const Replica& replica, Time now) {
    const Pod* pod = replica.pod;
    return pod != nullptr && !pod->ready && !pod->leaving && pod->started_at.has_value() &&
           now - *pod->started_at >= kReadyPatience &&
           now - pod->ready_changed_at.value_or(*pod->started_at) >= kReadyPatience &&
           !pod->revision.empty() && !replica.set->revision.empty() &&
           pod->revision != replica.set->revision;
}

// True if the tailnet was asked, and does not have the device in the state Secret.
bool is_gone(const Replica& replica) {
    if (replica.answer.has_value()) {
        return replica.answer->is_gone;
    }
    return replica.auth != nullptr && !replica.auth->device_gone.empty() &&
           replica.auth->device_gone == replica.state->device();
}

// True if the pod is up and needs no other key.
bool has_joined(const Replica& replica) {
    return is_up(replica) && !replica.state->wants_key;
}

// True if the pod has had enough time to join with the newest key.
bool has_had_its_time(const Replica& replica, Time now) {
    const Pod* pod = replica.pod;
    if (pod == nullptr || pod->leaving || !pod->started_at.has_value()) {
        return false;
    }
    const auto key_age = age_of(replica.auth->key_created, now);
    return now - *pod->started_at >= kJoinPatience &&
           (!key_age.has_value() || *key_age >= kJoinPatience);
}

// No value if the tailnet has answered less than `lasts` ago.
std::optional<Step> look_again(const Replica& replica, Duration lasts) {
    const bool is_due = !replica.answer.has_value() || replica.answer->age >= lasts;
    return is_due ? std::optional<Step>(
                        step::LookForDevice{.device = std::string(replica.state->device())})
                  : std::nullopt;
}

// Mints a key for a pod that waits for one, or does not know that it needs one.
step::MintKey mint_for_pod(const Replica& replica, std::string why) {
    step::MintKey mint{.why = std::move(why)};
    if (replica.pod != nullptr) {
        mint.restart_pod = replica.pod->uid;
    }
    if (replica.state->device().empty()) {
        mint.device_to_delete = replica.auth->device;  // its state was lost, so it cannot come back
    } else if (is_gone(replica)) {
        mint.device_gone = replica.state->device();
    }
    return mint;
}

// Returns since when the replica is unwanted: the auth Secret counts, which no pod may write.
std::string_view gone_since(const Replica& replica) {
    return replica.auth != nullptr    ? replica.auth->gone_since.view()
           : replica.state != nullptr ? replica.state->gone_since.view()
                                      : std::string_view();
}

// A state Secret without its label is also removed, with the auth Secret, by its name.
std::optional<Step> decide_unwanted(const Replica& replica, Time now, Duration cleanup_delay) {
    if (replica.pod != nullptr || (replica.state == nullptr && replica.auth == nullptr)) {
        return std::nullopt;
    }
    const auto age = age_of(parse_time(gone_since(replica)), now);
    if (!age.has_value()) {
        return step::MarkGone{};
    }
    return *age >= cleanup_delay ? std::optional<Step>(step::Remove{}) : std::nullopt;
}

// Leaves the old tailnet, because its StatefulSet names another one.
std::optional<Step> decide_move(const Replica& replica) {
    if (replica.auth != nullptr) {
        return step::LeaveTailnet{};
    }
    if (replica.pod == nullptr || !replica.pod->started_at.has_value()) {
        return step::RemoveState{};
    }
    // The pod still writes about the old tailnet.
    return replica.pod->leaving ? std::nullopt
                                : std::optional<Step>(step::DeletePod{.uid = replica.pod->uid});
}

// A device that cannot be noted may have been deleted, and not every pod would report that.
Step read_device(const Replica& replica, Time now, std::string_view device_to_delete) {
    const bool tells = replica.set->asks_for_keys() || !has_had_its_time(replica, now);
    const auto look = tells ? std::nullopt : look_again(replica, kJoinPatience);
    return look.value_or(step::NoteDevice{.device_to_delete = std::string(device_to_delete)});
}

// No value if its device is noted.
std::optional<Step> decide_note(const Replica& replica, Time now) {
    const AuthSecret& auth = *replica.auth;
    const std::string_view device = replica.state->device();
    if (auth.device == device) {
        return auth.device_gone == device ? std::optional<Step>(read_device(replica, now, {}))
                                          : std::nullopt;
    }
    return read_device(replica, now, auth.device);
}

// If the device was deleted, or the key is not valid, the pod waits forever, with a profile that
// names the device. Most pods request a new key. For these the controller only asks again for a
// device that was missing before, since that answer may have been wrong.
std::optional<Step> decide_missing(const Replica& replica, Time now) {
    const bool asks = replica.set->asks_for_keys();
    const bool has_device = !replica.state->device().empty();
    const bool may_be_missing =
        asks ? has_device && is_gone(replica) : !replica.set->writes_state() || !is_up(replica);
    if (!may_be_missing || !has_had_its_time(replica, now)) {
        return std::nullopt;
    }
    if (!has_device) {
        return mint_for_pod(replica, "the pod has not joined with the previous key");
    }
    if (auto look = look_again(replica, is_up(replica) ? kAnswerOfReadyLasts : kJoinPatience)) {
        return look;
    }
    return is_gone(replica) && !asks
               ? std::optional<Step>(mint_for_pod(replica, "its device was deleted"))
               : std::nullopt;
}

// Decides about the key in the auth Secret, which is not blank.
std::optional<Step> decide_key(const Replica& replica, Time now) {
    const AuthSecret& auth = *replica.auth;
    if (has_joined(replica)) {
        // It is noted first, because no one would know of it if its state were lost.
        const auto note = decide_note(replica, now);
        return note.has_value() ? note : step::SpendKey{};
    }
    if (is_expiring(auth, now)) {
        return step::MintKey{.why = "the key expires"};
    }
    if (auth.key_tags != replica.set->tags) {
        return step::MintKey{.why = "the tags have changed"};
    }
    if (auth.config != replica.config) {
        return step::MintKey{.why = "the configuration has changed"};
    }
    return decide_missing(replica, now);
}

std::optional<Step> decide_request(const Replica& replica, bool restart_is_due, Time now) {
    const bool keeps = keeps_device(replica);
    if (keeps && !replica.state->device().empty() && !is_gone(replica)) {
        const auto look = look_again(replica, kAnswerLasts);
        return look.has_value() ? look : step::ClearRequest{};
    }
    // A pod before 1.98 removes its device when it starts, and requests a key before it reports a
    // device: so it has joined since, whatever the key was.
    if (restart_is_due || (!keeps && is_up(replica))) {
        return step::ClearRequest{};
    }
    const AuthSecret& auth = *replica.auth;
    const auto age = age_of(auth.key_created, now);
    const bool may_still_work = !auth.blank && age.has_value() && *age < kKeyPatience;
    return may_still_work ? std::nullopt
                          : std::optional<Step>(mint_for_pod(replica, "the pod requests one"));
}

std::optional<Step> decide_device(const Replica& replica, Time now) {
    if (!has_joined(replica)) {
        return std::nullopt;
    }
    if (auto note = decide_note(replica, now)) {
        return note;
    }
    const AuthSecret& auth = *replica.auth;
    // A pod may change its report as often as it likes.
    const bool may_ask = auth.device_words.empty() || look_again(replica, kWordsLast);
    return may_ask && has_new_words(*replica.state, auth)
               ? std::optional<Step>(read_device(replica, now, {}))
               : std::nullopt;
}

// True for steps that a pod can cause again and again, by what it writes into its state Secret.
bool is_at_a_pods_word(const Step& step) {
    return std::holds_alternative<step::CreateState>(step) ||
           std::holds_alternative<step::ReleaseState>(step) ||
           std::holds_alternative<step::ClearRequest>(step) ||
           std::holds_alternative<step::LookForDevice>(step) ||
           std::holds_alternative<step::NoteDevice>(step);
}

// True if the tags of the noted device differ from those of its StatefulSet.
bool tags_are_due(const Replica& replica) {
    const AuthSecret* auth = replica.auth;
    return auth != nullptr && !auth->device.empty() && auth->device_tags != replica.set->tags &&
           auth->tailnet == replica.set->tailnet;
}

}  // namespace

bool is_expiring(const AuthSecret& auth, Time now) {
    if (!auth.key_expires.has_value() || !auth.key_created.has_value()) {
        return auth.key_expires.has_value() && *auth.key_expires - now < kKeyMargin;
    }
    const Duration life = *auth.key_expires - *auth.key_created;
    return life > Duration(0) && now - *auth.key_created >= kKeyPatience &&
           *auth.key_expires - now < std::min(kKeyMargin, life / 4);
}

bool is_wanted(const Replica& replica) {
    return replica.set != nullptr && replica.ordinal < replica.set->replicas;
}

std::string_view tailnet_of(const Replica& replica) {
    return replica.auth != nullptr    ? replica.auth->tailnet.view()
           : replica.state != nullptr ? replica.state->tailnet.view()
           : replica.set != nullptr   ? replica.set->tailnet.view()
                                      : std::string_view();
}

bool is_up(const Replica& replica) {
    if (replica.state == nullptr || replica.pod == nullptr || replica.pod->leaving ||
        is_gone(replica)) {
        return false;
    }
    const StateSecret& state = *replica.state;
    if (replica.set != nullptr && !replica.set->writes_state()) {
        return replica.pod->ready && !state.node_id.empty();
    }
    // `device_id` alone may be from the previous pod.
    const bool is_told = state.pod_uid == replica.pod->uid && !state.device_id.empty();
    return is_told && (!keeps_device(replica) || (replica.pod->ready && !state.wants_key));
}

bool lacks_config(const Replica& replica) {
    return is_wanted(replica) && replica.set->is_api_proxy && replica.config.empty();
}

bool has_no_https(const Replica& replica) {
    return is_up(replica) && replica.state->https_endpoint == renderer::kNoHttps;
}

bool lacks_https(const Replica& replica) {
    return is_wanted(replica) && replica.set->is_of(renderer::kind_of("Ingress")) &&
           has_no_https(replica);
}

namespace {

// True if a pod that is apart cannot read the key that was written last.
bool lacks_key(const Replica& replica) {
    const DeliveredKey* delivered = replica.delivered;
    return replica.is_apart && (delivered == nullptr || !delivered->is_there ||
                                delivered->digest != replica.auth->key_digest);
}

std::optional<Step> decide_wanted(const Replica& replica, Time now) {
    if (replica.state == nullptr) {
        return step::CreateState{};
    }
    if (replica.state->is_kept) {
        return step::ReleaseState{};
    }
    if (tailnet_of(replica) != replica.set->tailnet.view()) {
        return decide_move(replica);
    }
    if (is_held_back(replica, now)) {
        return step::DeletePod{.uid = replica.pod->uid};
    }
    if (lacks_config(replica)) {
        return std::nullopt;
    }
    if (replica.auth == nullptr) {
        return replica.state->device().empty()
                   ? Step(step::MintKey{.why = "no device yet", .may_take_over = true})
                   : Step(step::CreateBlankAuth{});
    }
    if (lacks_key(replica)) {
        return step::DeliverKey{};
    }
    const bool restart_is_due = replica.pod != nullptr && !replica.pod->leaving &&
                                replica.auth->restart_pod == replica.pod->uid;
    if (replica.state->wants_key) {
        return decide_request(replica, restart_is_due, now);
    }
    if (restart_is_due && !has_joined(replica)) {
        return step::DeletePod{.uid = replica.pod->uid};
    }
    if (!replica.auth->blank) {
        return decide_key(replica, now);
    }
    if (!replica.set->asks_for_keys() && replica.state->device().empty()) {
        return mint_for_pod(replica, "its state was lost");
    }
    if (replica.auth->config != replica.config) {
        return step::WriteConfig{};
    }
    const auto step = decide_device(replica, now);
    return step.has_value() ? step : decide_missing(replica, now);
}

}  // namespace

std::optional<Step> decide(const Replica& replica, Time now, Duration cleanup_delay) {
    if (replica.set != nullptr && replica.stray != nullptr) {
        return step::RemoveStray{};
    }
    if (!is_wanted(replica)) {
        return decide_unwanted(replica, now, cleanup_delay);
    }
    if (!gone_since(replica).empty()) {
        return step::UnmarkGone{};
    }
    const auto step = decide_wanted(replica, now);
    // Refused tags do not block other steps.
    const bool tags_come_first =
        !step.has_value() || (is_at_a_pods_word(*step) && !replica.tags_wait);
    return tags_come_first && tags_are_due(replica)
               ? std::optional<Step>(step::SetTags{.device = std::string(replica.auth->device)})
               : step;
}

std::string_view failure_reason(const Step& step) {
    if (std::holds_alternative<step::MintKey>(step)) {
        return "CannotMintKey";
    }
    if (std::holds_alternative<step::SetTags>(step)) {
        return kTagsFailed;
    }
    if (std::holds_alternative<step::LeaveTailnet>(step) ||
        std::holds_alternative<step::RemoveState>(step)) {
        return "CannotChangeTailnet";
    }
    if (std::holds_alternative<step::NoteDevice>(step)) {
        return "CannotNoteDevice";
    }
    return std::holds_alternative<step::Remove>(step) ? "CannotRemove" : "CannotPrepareProxy";
}

std::string describe(const Step& step) {
    struct Describer {
        std::string operator()(const step::CreateState&) const { return "create the state Secret"; }
        std::string operator()(const step::ReleaseState&) const {
            return "remove finalizers from the state Secret";
        }
        std::string operator()(const step::CreateBlankAuth&) const {
            return "create a blank auth Secret";
        }
        std::string operator()(const step::DeliverKey&) const { return "deliver the key"; }
        std::string operator()(const step::MintKey& mint) const {
            return "create a key (" + mint.why + ")" +
                   (mint.device_to_delete.empty() ? ""
                                                  : ", delete device " + mint.device_to_delete) +
                   (mint.restart_pod.empty() ? "" : ", restart pod " + mint.restart_pod);
        }
        std::string operator()(const step::ClearRequest&) const { return "clear the request"; }
        std::string operator()(const step::DeletePod& pod) const { return "delete pod " + pod.uid; }
        std::string operator()(const step::SpendKey&) const { return "revoke and blank the key"; }
        std::string operator()(const step::NoteDevice& device) const {
            return "record the device" + (device.device_to_delete.empty()
                                              ? ""
                                              : ", delete device " + device.device_to_delete);
        }
        std::string operator()(const step::SetTags& tags) const {
            return "set the tags of " + tags.device;
        }
        std::string operator()(const step::LookForDevice& look) const {
            return "look for " + look.device;
        }
        std::string operator()(const step::WriteConfig&) const { return "write the configuration"; }
        std::string operator()(const step::RemoveStray&) const {
            return "remove the auth Secret of another type";
        }
        std::string operator()(const step::LeaveTailnet&) const { return "leave the tailnet"; }
        std::string operator()(const step::RemoveState&) const { return "remove the state Secret"; }
        std::string operator()(const step::MarkGone&) const { return "mark as deleted"; }
        std::string operator()(const step::UnmarkGone&) const { return "unmark"; }
        std::string operator()(const step::Remove&) const { return "remove"; }
    };
    return std::visit(Describer(), step);
}

}  // namespace runtime::controller
