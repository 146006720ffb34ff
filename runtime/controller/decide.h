// What is to be done for one replica of a proxy, given what the cluster looks like: a pure
// function. The answer is one step; when it has been done the cluster looks different and the
// question is asked again. So a process that is killed at any point goes on where it was.
//
// The rules, in the order in which they are tried, are those of testdata/contract/proxy.md:
// - the state Secret comes first, since a pod that finds its key but no state Secret exits;
// - a key is minted for a device that has never joined, and when the pod asks for a new one. The
//   request (`reissue_authkey`) does not say which key failed, so it counts for nothing while the
//   newest key is unused and younger than kKeyPatience; it is over when the pod has joined since.
//   From 1.98 on a pod does not take back what it has said of its device, so the tailnet is asked
//   for that: the request is over when the device is there, and answered when it is gone;
// - after a requested key the mark is removed, then the waiting pod is deleted once, which is
//   quicker than its own time-outs;
// - once the device has joined, and is the replica's own, it is noted (else no one would know of it
//   when its state was lost), then its key is revoked, spent or not, and blanked: the Secret stays,
//   or the pod could not be mounted again;
// - with it is noted what the tailnet calls it. When its pod says that it has another name or
//   another address, the tailnet is asked again;
// - a device that another one has replaced is deleted; a device whose tags have changed gets the
//   new ones. Which device, and which tags it has, says the auth Secret alone: whatever the pod
//   writes, or takes off, the tags come before what it can ask for without end;
// - a pod in a namespace of its own gets its key, and what replaces it, delivered there;
// - an API proxy has its key in its configuration, which is written again when it changes;
// - a device that the tailnet did not have when a key was minted is noted as gone: what still names
//   it has not joined with that key, whatever process looks;
// - a recorder never asks for a key, nor does an API proxy before 1.98, so they get one when their
//   state is lost, and another one when they have run for kJoinPatience with it and the tailnet,
//   which is asked, does not have their device;
// - a pod that is not ready is deleted once its StatefulSet has another template for it, which
//   Kubernetes would wait with for ever;
// - when the StatefulSet has become one of API proxies, or has been one, the key that its pods do
//   not look at any more is revoked, and its Secret deleted;
// - when the StatefulSet names another tailnet than the state Secret, the key and the devices in
//   the old one go, then the auth Secret, so that the next pod waits for it; the pod is deleted,
//   and then the state Secret: from there on it is a replica that is new;
// - what belongs to no StatefulSet any more is removed after a delay: key, device, auth Secret,
//   state Secret, in this order, so that nothing can join any more when its devices are read, and
//   the last one holds all names until the end.
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
// Of a pod that would never ask for another key.
inline constexpr Duration kJoinPatience = std::chrono::minutes(10);
// An answer of the tailnet is as good as a new one for a pod that asks for a key.
inline constexpr Duration kAnswerLasts = std::chrono::seconds(30);
// And for one that says something new of its device.
inline constexpr Duration kWordsLast = std::chrono::minutes(1);
// A recorder that is ready says nothing about its device: the tailnet is asked so often.
inline constexpr Duration kAnswerOfReadyLasts = std::chrono::hours(1);
// Of a pod that its StatefulSet would replace, were it ready.
inline constexpr Duration kReadyPatience = std::chrono::minutes(1);

// What the tailnet has last said of a device.
struct DeviceAnswer {
    bool is_gone = false;
    Duration age = {};
};

// All that there is of one replica. Not owning; nullptr: does not exist.
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
    const AuthSecret* stray = nullptr;  // the one that it had while its set was of another type
    const Pod* pod = nullptr;
    std::string config = {};  // of an API proxy, without its key; empty: none, or not known
    std::optional<DeviceAnswer> answer = {};  // of its device; no value: it has not been asked for
    bool tags_wait = false;                   // the tailnet has just refused them
};

// The key is to be replaced. One that ends before it begins says that our clock and the server's
// differ, and no more.
bool is_expiring(const AuthSecret& auth, Time now);

// A StatefulSet of that many replicas exists.
bool is_wanted(const Replica& replica);

// That its key and its device are of: what the controller has noted, since a pod may write its
// state Secret. "" is the controller's own.
std::string_view tailnet_of(const Replica& replica);

// The pod that runs, and stays, has the device that its state Secret names. From 1.98 on that is
// known of pods with a readiness probe; those whose ProxyClass takes it away have the device some
// seconds too early, when they start.
bool is_up(const Replica& replica);

// An API proxy whose group's ConfigMap is still to come: no key can be told to it.
bool lacks_config(const Replica& replica);

namespace step {
struct CreateState {};      // or give the one that is there its label back
struct ReleaseState {};     // it is being deleted, and its pod has put a finalizer on it
struct CreateBlankAuth {};  // the device has joined before: with its state an empty key is fine
struct DeliverKey {};       // blank or not, to where a pod that is apart reads it
struct MintKey {
    std::string why;
    std::string restart_pod = {};       // UID of the pod that waits for it
    std::string device_to_delete = {};  // holds the hostname that the new device shall get
    std::string device_gone = {};       // that the state Secret names, and the tailnet lacks
    bool may_take_over = false;         // the hostname of a device that this cluster has forgotten
};
struct ClearRequest {};
struct DeletePod {
    std::string uid;
};
struct SpendKey {};                     // revoke the key, then blank it and record the device
struct NoteDevice {                     // also again, with what the tailnet says of it now
    std::string device_to_delete = {};  // the one that was noted before
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

// No value: all is as it should be, or time has to pass first.
std::optional<Step> decide(const Replica& replica, Time now, Duration cleanup_delay);

// Of an Event that says that the step failed: "CannotMintKey".
inline constexpr std::string_view kTagsFailed = "CannotSetTags";
std::string_view failure_reason(const Step& step);

// "mint key (no device yet)": for logs and tests.
std::string describe(const Step& step);

}  // namespace runtime::controller
