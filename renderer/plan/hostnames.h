// Hostnames of devices in the tailnet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

struct Workload;

constexpr std::string_view kHostnameAdvice =
    "choose one with the annotation \"tailscale.com/hostname\"";

// A hostname, and the position of the text it is derived from.
struct Hostname {
    std::string text;
    Pos pos;
};

// Checks the wanted hostname and returns it with the cluster's suffix. `advice` explains how to
// change it.
std::string checked_hostname(const classify::ParentInput& parent, const Hostname& wanted,
                             std::string_view advice, const Settings& settings,
                             Diagnostics& diagnostics);
std::string checked_hostname(const Origin& owner, const Hostname& wanted, std::string_view advice,
                             const Settings& settings, Diagnostics& diagnostics);

// Returns the hostname of a Service: the annotation's text, even if it is empty, else
// <namespace>-<name>. Returns none if the namespace is unknown.
std::optional<Hostname> service_hostname(const classify::ServiceInput& service,
                                         const Settings& settings, Diagnostics& diagnostics);

void set_hostname(std::optional<Hostname> hostname, Workload& workload);

// Returns "web.shop.svc.cluster.local".
std::string cluster_dns_name(std::string_view ns, std::string_view name, const Settings& settings);

}  // namespace renderer::plan
