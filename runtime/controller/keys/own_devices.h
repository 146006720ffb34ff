// Which devices are a replica's own, so that they may be tagged and deleted for it. Its pod writes
// the state Secret, so a device named there proves nothing. A device is accepted once it is noted
// on the auth Secret. It is noted when the tailnet confirms that it has the tags of the replica's
// key and the replica's hostname, and it is not noted for another replica.
//
// The tailnet is asked for the device before it is noted, and again when its pod reports something
// new about it: no answer is kept here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/controller/keys/device_notes.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/keys/take_over.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

// What a replica's state Secret claims.
struct DeviceClaim {
    std::string pod, parent;  // parent: as in the contract annotation; empty: it was deleted
    std::string tailnet, device;
    std::string hostname = {};  // empty: unknown, so no device is its own
    std::string tags = {};      // lists of tags, separated by `;`: it must have one of them
    // False: there is no auth Secret, and a pod may name any tailnet. No answer of that tailnet
    // about the device is a proof, also if it does not have this id.
    bool is_tailnet_noted = true;
    bool is_noted = false;  // for this replica, because it was proven before
};
inline constexpr std::string_view kUnknownTailnet =
    "only its state Secret says which tailnet it is in";

// Adds a list to DeviceClaim::tags, unless it has it.
void add_tags(std::string& lists, std::string_view tags);
// Returns the tags of the keys that a replica's device may have joined with, or, once those are
// used, the tags that it should have (`wanted`) and those that it was last given.
std::string possible_tags(const AuthSecret& auth, std::string_view wanted);

struct Proof {
    std::string objection = {};  // "has the hostname \"laptop\"…"; empty: it is the replica's own
    std::string tags = {};       // the list that matches its tags
};
// A device that is the replica's own, with its data from the tailnet.
struct OwnDevice {
    std::string tags;
    DeviceNotes notes;
};
// `owner` is the Secret of another replica that has the device noted, or "". A pure function.
Proof prove(const DeviceClaim& claim, const TailnetDevice& device, std::string_view owner);

class OwnDevices {
public:
    struct Surroundings {
        // Returns the Secret of another replica that has the device noted, or, for `user_of`, only
        // names it, or "". What a pod names can only keep a device in the tailnet.
        std::function<std::string(const DeviceClaim&claim)> owner_of, user_of;
        // `parent` is empty if the parent was deleted.
        std::function<void(const std::string& parent, const ParentEvent& event)> tell;
    };
    // All references outlive it.
    OwnDevices(Tailnets& tailnets, Surroundings around)
        : tailnets_(tailnets), around_(std::move(around)) {}

    // Fails unless the device is the replica's own. `found` gets its data from the tailnet.
    Job must_be_own(const DeviceClaim& claim, const std::shared_ptr<OwnDevice>& found);
    // Reports that the pod describes the device differently.
    void tell_contradiction(const DeviceClaim& claim, const DeviceNotes& notes);
    // Deletes a noted device. If another replica also has it, it stays, and an Event says so.
    // `guard` is called right before the deletion, and may object (tailnet/api.h).
    Job erase(const DeviceClaim& claim, const Job& guard = {});
    // Deletes a device that is not noted. It stays, with an Event, if it is not the replica's own,
    // or if its tailnet is unknown.
    Job erase_if_own(const DeviceClaim& claim, const Job& guard = {});

private:
    void leave(const DeviceClaim& claim, std::string_view why, const Next& next);

    Tailnets& tailnets_;
    Surroundings around_;
};

}  // namespace runtime::controller
