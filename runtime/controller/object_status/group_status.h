// The status of a Tailscale Service's parent: pure functions. Source of the shapes: tailscale
// v1.96.5 cmd/k8s-operator/{ingress-for-pg,svc-for-pg,api-server-proxy-pg}.go. A service counts as
// served when it is registered and a running replica advertises it.
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

// The tailnet's answer about a service.
struct Registration {
    std::vector<std::string> addresses = {};
    std::string refusal = {};  // it belongs to another user or controller
    bool is_there = false;
    bool is_new = false;  // the controller has just written it
};

struct OfferedState {
    Offered offered;
    Registration registration;
    bool has_certificate = false;  // filled
};

// The group's replicas that run and advertise the service, once it is registered.
struct Backends {
    std::size_t ready = 0, wanted = 0;
};
Backends backends_of(const OfferedState& offer_state);

// True if the service needs a certificate and a replica reports that its tailnet gives none.
bool lacks_https(const OfferedState& offer_state);

// The name of a service in the tailnet is formed like those of devices; "" if no device has joined.
std::string full_name(const OfferedState& offer_state);

StatusChange group_ingress_status(const OfferedState& offer_state);
StatusChange group_service_status(const Parent& service, const OfferedState& offer_state);
// For a ProxyGroup that serves the Kubernetes API.
StatusChange group_api_status(const OfferedState& offer_state);
// For an Ingress or a Service that no group serves any more; `gone` has the names at which it was
// reached.
StatusChange group_unserved_status(const Parent& parent);

}  // namespace runtime::controller
