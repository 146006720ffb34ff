// What all workloads have in common, and all proxies: where they live, what they are called, which
// image they run, which tags they carry. The features (l3_ingress, l7_ingress) add what the proxy
// targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/load/load.h"
#include "renderer/plan/class/proxy_classes.h"
#include "renderer/plan/plan.h"
#include "renderer/plan/service_index.h"
#include "renderer/plan/settings/settings.h"
#include "renderer/plan/tailnets.h"

namespace renderer {

// What is the same for every proxy of a run.
struct ProxyInputs {
    const Loaded& loaded;
    const Settings& settings;
    const ServiceIndex& services;
    const Tailnets& tailnets;
    ProxyClasses& classes;
    std::uint32_t central_bundle = kNone;  // placement: central; kNone: the parent's bundle

    // Where what is rendered for that document goes.
    [[nodiscard]] std::uint32_t bundle_of(const Document& parent) const {
        return central_bundle == kNone ? parent.bundle : central_bundle;
    }
};

// What does not depend on the feature. `origin.rule` begins with the generator: "connector: …".
Workload start_workload(const ParentInput& parent, std::string_view rule,
                        const ProxyInputs& inputs);

// Of a single proxy: names, labels, claims and volumes, too.
Workload bare_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                    const ProxyInputs& inputs);

// Of a Service ("svc") or an Ingress ("ingress"): everything but hostname and target. Reports a
// missing namespace and malformed tags.
Workload start_proxy(const ParentInput& parent, std::string_view parent_type, std::string_view rule,
                     const ProxyInputs& inputs, Diagnostics& diagnostics);

constexpr std::string_view kFirewallMode = "TS_DEBUG_FIREWALL_MODE";
void add_firewall_mode(const Settings& settings, Workload& workload);

// By annotation, else the default ones; trimmed. Reports malformed ones.
std::vector<std::string> plan_tags(const ParentInput& parent, const Settings& settings,
                                   Diagnostics& diagnostics);

// Of a custom resource: those of its spec, else the fallback.
std::vector<std::string> spec_tags(const std::vector<TextInput>& tags,
                                   const std::vector<std::string>& fallback);

// What its device gets: its own tags, and the one by which we know our devices again.
std::vector<std::string> device_tags(std::vector<std::string> tags, const Settings& settings);

// Reports a missing namespace.
void check_namespace(const ParentInput& parent, Diagnostics& diagnostics);

// The names of a proxy's objects begin with the parent's, which is also the value of a label: the
// API server refuses what the operator makes of other names. For parents whose own names may be
// longer and have dots.
void check_proxied_name(const ParentInput& parent, Diagnostics& diagnostics);

constexpr std::string_view kHostnameAdvice =
    "choose one with the annotation \"tailscale.com/hostname\"";

// A hostname and what it was made of.
struct Hostname {
    std::string text;
    Pos pos;
};

// The wish, checked, with the cluster's suffix. `advice` says how to change it.
std::string checked_hostname(const ParentInput& parent, const Hostname& wish,
                             std::string_view advice, const Settings& settings,
                             Diagnostics& diagnostics);
std::string checked_hostname(const Origin& owner, const Hostname& wish, std::string_view advice,
                             const Settings& settings, Diagnostics& diagnostics);

// Of a Service: the annotation's wish, even an empty one, else <namespace>-<name>. None when the
// namespace is unknown.
std::optional<Hostname> service_hostname(const ServiceInput& service, const Settings& settings,
                                         Diagnostics& diagnostics);

void set_hostname(std::optional<Hostname> hostname, Workload& workload);

// "web.shop.svc.cluster.local"
std::string cluster_dns_name(std::string_view ns, std::string_view name, const Settings& settings);

}  // namespace renderer
