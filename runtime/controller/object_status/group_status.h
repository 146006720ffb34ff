// What the status of a Tailscale Service's parent says: pure functions. Source of the shapes:
// tailscale v1.96.5 cmd/k8s-operator/{ingress-for-pg,svc-for-pg,api-server-proxy-pg}.go. A service
// counts as served when it is registered and a replica that runs advertises it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/ingress_groups/group_decide.h"
#include "runtime/controller/object_status/status_writer.h"

namespace runtime::controller {

// Conditions of a Service that a group serves.
inline constexpr std::string_view kServiceCondition = "TailscaleIngressSvcConfigured";
inline constexpr std::string_view kServiceIsValid = "TailscaleIngressSvcValid";

// What the tailnet said of a service.
struct Registration {
    std::vector<std::string> addresses = {};
    std::string refusal = {};  // it belongs to another user or controller
    bool is_there = false;
    bool is_new = false;  // we have just put it so
};

struct OfferedState {
    Offered offered;
    Registration registration;
    bool has_certificate = false;  // filled
};

// Of the group's replicas, those that run and advertise the service, once it is registered.
struct Backends {
    std::size_t ready = 0, wanted = 0;
};
Backends backends_of(const OfferedState& offer_state);

// The name of a service in the tailnet is made like those of devices; "": no one has joined.
std::string full_name(const OfferedState& offer_state);

StatusChange group_ingress_status(const OfferedState& offer_state);
StatusChange group_service_status(const Parent& service, const OfferedState& offer_state);
// Of a ProxyGroup that serves the Kubernetes API.
StatusChange group_api_status(const OfferedState& offer_state);
// Of an Ingress or a Service that no group serves any more; with the names that it was reached at
// in `gone`.
StatusChange group_unserved_status(const Parent& parent);

}  // namespace runtime::controller
