// Which devices are a replica's own, so that they may be tagged and deleted for it. Its pod writes
// the state Secret, so what that names proves nothing. A device counts once it is noted on the auth
// Secret, and is noted when the tailnet says that it has the tags of the replica's key and the
// replica's hostname, and it is not noted for another replica.
//
// It is asked for once, before it is noted, and again when its pod says something new of it:
// nothing is remembered here.
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

// What a replica's state Secret says.
struct DeviceClaim {
    std::string pod, parent;  // parent: as in the contract annotation; empty: it is gone
    std::string tailnet, device;
    std::string hostname = {};  // empty: no one knows, so nothing is its own
    std::string tags = {};      // lists of tags, with `;` between them: it has to have one of them
    // False: there is no auth Secret, and a pod may name any tailnet. Whatever that one says of the
    // device, that it has none of this id included, proves nothing.
    bool is_tailnet_noted = true;
    bool is_noted = false;  // for this replica: it has been proven once
};
inline constexpr std::string_view kUnknownTailnet =
    "only its state Secret says which tailnet it is in";

// To DeviceClaim::tags, each list once.
void add_tags(std::string& lists, std::string_view tags);
// Of the keys that a replica's device may have come with, or, once they are spent, those that it is
// to have (`wished`) and those that it was last given.
std::string possible_tags(const AuthSecret& auth, std::string_view wished);

struct Proof {
    std::string objection = {};  // "has the hostname \"laptop\"…"; empty: it is the replica's own
    std::string tags = {};       // the list that it has
};
// A device that is the replica's own, and what the tailnet says of it.
struct OwnDevice {
    std::string tags;
    DeviceNotes notes;
};
// `owner` is the Secret of another replica that has the device noted, or "". A pure function.
Proof prove(const DeviceClaim& claim, const TailnetDevice& device, std::string_view owner);

class OwnDevices {
public:
    struct Surroundings {
        // The Secret of another replica that has it noted, or, of `user_of`, merely names it; "":
        // none does. What a pod names may keep a device in the tailnet, and nothing else.
        std::function<std::string(const DeviceClaim&claim)> owner_of, user_of;
        // An empty parent: the one that it was for is gone.
        std::function<void(const std::string& parent, const ParentEvent& event)> tell;
    };
    // All references outlive it.
    OwnDevices(Tailnets& tailnets, Surroundings around)
        : tailnets_(tailnets), around_(std::move(around)) {}

    // Fails unless the device is the replica's own. `found` gets what the tailnet says of it.
    Job must_be_own(const DeviceClaim& claim, const std::shared_ptr<OwnDevice>& found);
    // Says that the pod describes it otherwise.
    void tell_contradiction(const DeviceClaim& claim, const DeviceNotes& notes);
    // One that is noted. Stays, with an Event, when another replica has it by now. `guard` is asked
    // right before it is deleted, and may object (tailnet/api.h).
    Job erase(const DeviceClaim& claim, const Job& guard = {});
    // One that is not. Stays, with an Event, when it is not the replica's own, or when nothing says
    // which tailnet it is in.
    Job erase_if_own(const DeviceClaim& claim, const Job& guard = {});

private:
    void leave(const DeviceClaim& claim, std::string_view why, const Next& next);

    Tailnets& tailnets_;
    Surroundings around_;
};

}  // namespace runtime::controller
