// Decides the next step for one replica of a proxy from the state of the cluster: a pure function.
// The step changes the cluster, and the next one is decided from that. So a process that is killed
// at any point continues where it was.
//
// The rules, in the order in which they are tried, are those of testdata/contract/proxy.md:
// - the state Secret comes first, since a pod that finds its key but no state Secret exits;
// - a key is minted for a device that has never joined, and when the pod requests a new one. The
//   request (`reissue_authkey`) does not say which key failed, so it is ignored while the newest
//   key is unused and younger than kKeyPatience; it is over when the pod has joined since. From
//   1.98 on a pod keeps what it wrote about its device, so the tailnet is asked for the device: the
//   request is over if the device exists, and answered if it was deleted;
// - after a requested key the request is cleared, then the waiting pod is deleted once, which is
//   quicker than its own time-outs;
// - once the device has joined, and is the replica's own, it is noted (otherwise no one would know
//   of it when its state is lost), then its key is revoked, used or not, and blanked: the Secret
//   stays, because the pod could not be mounted again without it;
// - its name and addresses in the tailnet are noted with it. When its pod reports another name or
//   address, the tailnet is asked again;
// - a device that was replaced by another one is deleted; a device whose tags have changed gets the
//   new ones. Only the auth Secret says which device it is and which tags it has: no matter what
//   the pod writes or removes, the tags come before what the pod can request again and again;
// - for a pod that is apart, the key and each later version of it are delivered to its namespace;
// - an API proxy has its key in its configuration, which is rewritten when it changes;
// - a device that was not in the tailnet when a key was minted is noted as deleted: a pod that
//   still names it has not joined with that key, also for a later process;
// - a recorder never requests a key, nor does an API proxy before 1.98, so they get one when their
//   state is lost, and another one when they have run for kJoinPatience with it and the tailnet
//   does not have their device;
// - a pod that is not ready is deleted once its StatefulSet has another template for it, because
//   Kubernetes would never replace it;
// - when the StatefulSet has become one of API proxies, or was one before, the key that its pods no
//   longer read is revoked, and its Secret deleted;
// - when the StatefulSet names another tailnet than the state Secret, the key and the devices in
//   the old one are deleted, then the auth Secret, so that the next pod waits for it; then the pod
//   is deleted, and then the state Secret: from then on the replica is new;
// - what belongs to no StatefulSet is removed after a delay: key, device, auth Secret, state
//   Secret, in this order, so that nothing can join after its devices were read, and the last one
//   keeps all names until the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/controller/view/objects.h"

namespace runtime::controller {

inline constexpr Duration kKeyPatience = std::chrono::minutes(3);
// An unused key is replaced this long before it expires, or with a quarter of its life left.
inline constexpr Duration kKeyMargin = std::chrono::hours(24);
// How long a pod that never requests a key may take to join.
inline constexpr Duration kJoinPatience = std::chrono::minutes(10);
// How long an answer of the tailnet is valid for a pod that requests a key.
inline constexpr Duration kAnswerLasts = std::chrono::seconds(30);
// How long it is valid for a pod that describes its device differently.
inline constexpr Duration kWordsLast = std::chrono::minutes(1);
// How often the tailnet is asked for the device of a ready recorder, which reports nothing about
// it.
inline constexpr Duration kAnswerOfReadyLasts = std::chrono::hours(1);
// How long a pod that its StatefulSet would replace may be not ready.
inline constexpr Duration kReadyPatience = std::chrono::minutes(1);

// The last answer of the tailnet about a device.
struct DeviceAnswer {
    bool is_gone = false;
    Duration age = {};
};

// Everything about one replica. It owns nothing; nullptr means that the object does not exist.
struct Replica {
    std::string_view pod_name = {};
    int ordinal = 0;
    const ProxySet* set = nullptr;
    // True if it is in the API proxy's own namespace. Its state Secret is rendered there, and so is
    // the Secret that its key is delivered to, because the controller may create none.
    bool is_apart = false;
    const StateSecret* state = nullptr;
    const AuthSecret* auth = nullptr;  // in the controller's namespace
    const DeliveredKey* delivered = nullptr;
    const AuthSecret* stray = nullptr;  // the one of the other type that its set had before
    const Pod* pod = nullptr;
    std::string config = {};  // of an API proxy, without its key; empty: none or unknown
    std::optional<DeviceAnswer> answer = {};  // about its device; no value: not asked yet
    bool tags_wait = false;                   // the tailnet has just refused them
};

// True if the key must be replaced. A key that expires before it was created only shows that the
// clocks of the controller and the server differ.
bool is_expiring(const AuthSecret& auth, Time now);

// True if its StatefulSet exists and asks for this replica.
bool is_wanted(const Replica& replica);

// The tailnet of its key and its device: as the controller noted it, since a pod may write its
// state Secret. "" is the controller's own.
std::string_view tailnet_of(const Replica& replica);

// True if the pod runs, is not terminating, and has the device that its state Secret names. From
// 1.98 on this is known of pods with a readiness probe; a pod whose ProxyClass removes the probe is
// up some seconds too early when it starts.
bool is_up(const Replica& replica);

// True for an API proxy whose group has no ConfigMap yet: its pod cannot be given a key.
bool lacks_config(const Replica& replica);

// True for a proxy that has joined a tailnet without HTTPS certificates, as its pod reports.
bool has_no_https(const Replica& replica);
inline constexpr std::string_view kHttpsIsOff = "HttpsIsOff";
inline constexpr std::string_view kHttpsIsOffProblem =
    "HTTPS certificates are off in its tailnet: enable them in the admin console (DNS)";
// True for the proxy of an Ingress that serves nothing for this reason.
bool lacks_https(const Replica& replica);

namespace step {
struct CreateState {};      // or restores the label of the existing one
struct ReleaseState {};     // it is being deleted, and its pod has added a finalizer
struct CreateBlankAuth {};  // the device has joined before: with its state a blank key is enough
struct DeliverKey {};       // blank or not, to the Secret of a pod that is apart
struct MintKey {
    std::string why;
    std::string restart_pod = {};       // UID of the pod that waits for it
    std::string device_to_delete = {};  // it has the hostname that the new device must get
    std::string device_gone = {};       // the state Secret names it, and it is not in the tailnet
    bool may_take_over = false;  // the hostname of a device that this cluster no longer knows
};
struct ClearRequest {};
struct DeletePod {
    std::string uid;
};
struct SpendKey {};                     // revoke the key, then blank it and record the device
struct NoteDevice {                     // also again, with the tailnet's newest answer
    std::string device_to_delete = {};  // the device that was noted before
};
struct SetTags {
    std::string device;
};
struct LookForDevice {
    std::string device;
};
struct WriteConfig {};  // of an API proxy, without a key
struct RemoveStray {};
struct LeaveTailnet {};
struct RemoveState {};
struct MarkGone {};
struct UnmarkGone {};
struct Remove {};
}  // namespace step

using Step = std::variant<step::CreateState, step::ReleaseState, step::CreateBlankAuth,
                          step::DeliverKey, step::MintKey, step::ClearRequest, step::DeletePod,
                          step::SpendKey, step::NoteDevice, step::SetTags, step::LookForDevice,
                          step::WriteConfig, step::RemoveStray, step::LeaveTailnet,
                          step::RemoveState, step::MarkGone, step::UnmarkGone, step::Remove>;

// No value if the replica is as it should be, or must wait.
std::optional<Step> decide(const Replica& replica, Time now, Duration cleanup_delay);

// The reason of the Event when the step fails, such as "CannotMintKey".
inline constexpr std::string_view kTagsFailed = "CannotSetTags";
std::string_view failure_reason(const Step& step);

// For logs and tests, such as "create a key (no device yet)".
std::string describe(const Step& step);

}  // namespace runtime::controller
