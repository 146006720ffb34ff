// The status of each kind of parent, as far as it is about its proxies: pure functions. Source of
// the shapes: tailscale v1.96.5 cmd/k8s-operator (svc.go, ingress.go, connector.go, proxygroup.go,
// tsrecorder.go); a condition is true once the devices have joined, not before.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/controller/object_status/status_writer.h"
#include "runtime/controller/records/devices.h"

namespace runtime::controller {

// The devices of a parent's StatefulSet, by ordinal.
struct Proxies {
    std::vector<Device> devices;
    std::string problem = {};  // of any of them

    // Until this is true, the status that an earlier version has written stays.
    [[nodiscard]] bool are_described() const;
    [[nodiscard]] std::size_t live() const;
    [[nodiscard]] bool all_live() const { return !devices.empty() && live() == devices.size(); }
};

// No value if the status is not ours to write, or another feature writes it.
std::optional<StatusChange> proxy_status(const Parent& parent, const Proxies& proxies);
StatusChange group_status(const Parent& group, const Proxies& proxies);
// For a Service or an Ingress that no longer has a proxy of its own. `gone` are names and addresses
// of devices that are no longer wanted.
StatusChange unserved_status(const Parent& parent, const std::set<std::string>& gone);

// True for a Service or an Ingress that a group must serve: the group writes its addresses, also
// while it still has a proxy of its own.
bool is_of_group(const Parent& parent);

// True for a Service whose addresses are ours to write while we serve it.
bool is_our_load_balancer(const Parent& service);
// True for a Service whose addresses no one else writes.
bool has_our_class(const Parent& service);

}  // namespace runtime::controller
