// What the status of each kind of parent says about its proxies: pure functions. Source of the
// shapes: tailscale v1.96.5 cmd/k8s-operator (svc.go, ingress.go, connector.go, proxygroup.go,
// tsrecorder.go); a condition is true once the devices have joined, not before.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/controller/object_status/status_writer.h"
#include "runtime/controller/records/devices.h"

namespace runtime::controller {

// The devices of a parent's StatefulSet, in order of their ordinals.
struct Proxies {
    std::vector<Device> devices;
    std::string problem = {};  // of any of them

    // Until they are, what an earlier version has written stays.
    [[nodiscard]] bool are_described() const;
    [[nodiscard]] std::size_t live() const;
    [[nodiscard]] bool all_live() const { return !devices.empty() && live() == devices.size(); }
};

// No value: not ours to write, or written by another feature.
std::optional<StatusChange> proxy_status(const Parent& parent, const Proxies& proxies);
StatusChange group_status(const Parent& group, const Proxies& proxies);
// For a Service or an Ingress that no proxy of its own serves any more. `gone`: names and addresses
// of devices that are wanted no more.
StatusChange unserved_status(const Parent& parent, const std::set<std::string>& gone);

// A Service or an Ingress that a group shall serve: its addresses are the group's to write, also
// while it still has a proxy of its own.
bool is_of_group(const Parent& parent);

// A Service whose addresses are ours to write while we serve it.
bool is_our_load_balancer(const Parent& service);
// A Service whose addresses no one else writes.
bool has_our_class(const Parent& service);

}  // namespace runtime::controller
