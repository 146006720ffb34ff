// Takes over the hostnames of devices that an earlier installation of this cluster has left in the
// tailnet, so that a cluster that is rebuilt from Git gets its names again and not NAME-1: right
// before the first key of a replica is minted, the device with its name is deleted.
//
// The device must be unused: it has the take-over tag (which no other cluster, user or program
// assigns), exactly the proxy's tags, no Secret of ours names it, and it has been offline for some
// time, by the tailnet's list and again right before the deletion. Unknown data count against it.
// Without a take-over tag nothing is looked for.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/keys/tailnets.h"
#include "runtime/kube/events.h"

namespace runtime::controller {

// How long a device must be offline; a restart, or a short loss of the control server, is shorter.
inline constexpr Duration kOfflineTime = std::chrono::minutes(5);

// The fields of a device in the API that are used here.
struct TailnetDevice {
    std::string id, name, hostname;
    std::vector<std::string> tags;  // sorted
    std::vector<std::string> addresses = {};
    std::optional<bool> is_online = {};
    std::optional<Time> last_seen = {};
    bool is_external = false;  // shared by another tailnet, which has named it
};
TailnetDevice decode_tailnet_device(const renderer::Value& object);

// A replica that is about to get its first key.
struct NameClaim {
    std::string pod, parent, tailnet, hostname;
    std::vector<std::string> tags;
};

// The device because of which the tailnet would name the new one NAME-1; nullptr if the name is
// free.
const TailnetDevice* holder_of(const std::vector<TailnetDevice>& devices,
                               std::string_view hostname);

struct Judgement {
    enum class Fate { Leave, Wait, Delete };
    Fate fate = Fate::Leave;
    std::string why = {};  // "is online"
};
// `user` is the Secret that names the device, or "". A pure function.
Judgement judge(const TailnetDevice& device, const NameClaim& claim, std::string_view mark,
                std::string_view user, Time now);

// An Event about the parent.
struct ParentEvent {
    kube::EventType type;
    std::string reason, message;
};

class TakeOver {
public:
    struct Surroundings {
        std::function<std::string(std::string_view tailnet, std::string_view device)> user_of;
        std::function<void(const std::string& parent, const ParentEvent& event)> tell;
    };
    // All references outlive it. With an empty `mark` it does nothing.
    TakeOver(Loop& loop, Tailnets& tailnets, std::string mark, Surroundings around);

    // Fails only if it should be retried; otherwise the key may be minted.
    Job job(NameClaim claim);

private:
    // One list of a tailnet's devices for all requests within a few seconds.
    struct Look {
        bool is_done = false;
        tailnet::Reply failure = {};
        std::vector<TailnetDevice> devices = {};
        std::vector<std::function<void(const Look&)>> waiting = {};
    };

    void look(tailnet::Api& api, const std::string& tailnet, std::function<void(const Look&)> use);
    void take_list(const std::string& tailnet, tailnet::Reply reply);
    void take(tailnet::Api& api, const NameClaim& claim, const Next& next);
    void confirm(tailnet::Api& api, const NameClaim& claim, const std::string& id,
                 const Next& next);
    void erase(tailnet::Api& api, const NameClaim& claim, const TailnetDevice& device,
               const Next& next);
    bool may_go(const NameClaim& claim, const TailnetDevice& device, const Next& next);
    void fail(const NameClaim& claim, const std::string& what, const tailnet::Reply& reply,
              const Next& next);
    void leave(const NameClaim& claim, const std::string& why, const Next& next);

    Loop& loop_;
    Tailnets& tailnets_;
    std::string mark_;
    Surroundings around_;
    std::map<std::string, Look> looks_;  // by tailnet
};

}  // namespace runtime::controller
