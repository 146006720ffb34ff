// What `cleanup` reads of the cluster, and what of it is the controller's.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "renderer/contract/tailnet_config.h"
#include "runtime/base/jobs.h"
#include "runtime/controller/view/mirror.h"
#include "runtime/operate/cleanup/clear_status.h"
#include "runtime/operate/cleanup/leftovers.h"
#include "runtime/operate/cleanup/named_devices.h"
#include "runtime/operate/context.h"

namespace runtime::operate {

struct ClusterObjects {
    Objects deployments, sets, pods, secrets, config_maps, leases;
    Objects services, ingresses;  // of all namespaces
    std::vector<HeldObject> held;
};

// Returns the jobs that read them. `objects` outlives the jobs.
std::vector<Job> read_objects(const OperateContext& context, ClusterObjects& objects);

// A device or an auth key of a tailnet.
struct TailnetId {
    std::string tailnet, id;

    auto operator<=>(const TailnetId&) const = default;
};

struct Belongings {
    struct Service {
        std::string tailnet, name;
    };

    Belongings();

    // Adds what the Secrets name, also a second time.
    void take_secrets(ClusterObjects& objects);
    void take_config_maps(const Objects& maps);
    // Returns the controller's own tailnet (""), and each tailnet that has objects of ours.
    [[nodiscard]] std::set<std::string> tailnets() const;

    controller::Mirror<renderer::TailnetConfig> configs;
    Served served;
    std::set<TailnetId> keys;
    std::vector<NamedDevice> named;  // the devices that Secrets name
    std::vector<Service> services;
    std::vector<std::string> secret_names, config_map_names;
    std::string mark;         // marks our keys and Tailscale Services
    std::string predecessor;  // the operator whose Tailscale Services are also ours

private:
    void take_config_map(const renderer::Value& map);
};

}  // namespace runtime::operate
