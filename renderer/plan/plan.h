// Stage 3: inventory -> what shall exist and how it is called. All policy lives here: settings,
// names, hostnames, tags, targets, every cross-check. The generators only spell what is in the
// Plan. Sources of the rules: tailscale v1.96.5 cmd/k8s-operator/{svc,ingress,sts,operator}.go and
// its Helm chart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/kube/kinds.h"
#include "renderer/load/load.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/group_policy.h"
#include "renderer/plan/group/offered_service.h"
#include "renderer/plan/group/proxy_group_plan.h"
#include "renderer/plan/settings/settings.h"
#include "renderer/plan/workload/dns_config.h"
#include "renderer/plan/workload/metrics_plan.h"
#include "renderer/plan/workload/recorder.h"

namespace renderer {

enum class Target : std::uint8_t { ClusterIp, DnsName, TailnetIp, TailnetName, Serve, Routes };

// One StatefulSet with everything around it. Strings are final: generators add nothing but
// structure.
struct ProxyPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string name;  // of StatefulSet, headless Service, ServiceAccount, Role, RoleBinding
    std::string ns;    // where all of them live
    std::string parent_kind, parent_ns, parent_name;  // "Service", "shop", "web"
    std::string_view parent_type;                     // "svc" | "ingress"
    std::string_view internal_app;                    // TS_INTERNAL_APP
    std::vector<std::string> hostnames;  // of every replica, in the order of their ordinals
    Pos hostname_pos;                    // what they were made of
    std::vector<std::string> tags;       // trimmed
    std::string server_url;              // "" = the default control server
    std::string tailnet;                 // "" = the controller's own
    std::string image;
    std::string_view pull_policy;  // "IfNotPresent" for a pinned image, else "Always"
    std::string firewall_mode;     // "" = not set
    std::string priority_class;    // "" = not set
    const ProxyClassPlan* proxy_class = nullptr;  // one of Plan::proxy_classes
    bool userspace = false;
    bool forward_cluster_traffic = false;
    Target target = Target::DnsName;
    Pos target_pos;                      // of the annotation that names it, if one does
    std::string target_value;            // address or DNS name; unused for Serve and Routes
    std::optional<IpFamily> family;      // the only one of the headless Service; empty: both
    std::vector<ServeHandler> handlers;  // Serve: sorted by path, unique
    bool funnel = false;
    bool http_redirect = false;
    std::vector<std::string> routes;  // Routes: canonical, sorted, unique
    bool app_connector = false;

    // "ts-web-dj9zn-0"
    [[nodiscard]] std::string pod(std::size_t ordinal) const;
    // To who wants another hostname.
    [[nodiscard]] std::string_view hostname_advice() const;
};

// A tailnet beside the controller's own, for the controller.
struct TailnetPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string ns;  // of the Secret, and of what we render
    std::string name;
    std::string login_url;
    std::string secret;  // its OAuth credentials
};

// One line of the table at the end of a run.
struct DeviceRow {
    std::string hostname, kind, tags, leads_to;
    bool is_public = false;
    Pos pos;
    std::string tailnet = {};  // "" = the controller's own
};

// What a cluster needs besides proxies. Nothing of it when `render` sees no operator.
struct InstallPlan {
    std::uint32_t bundle = 0;
    Origin origin;
    std::string ns;
    bool emit_namespace = true;  // false: an input declares it, or post-render
    bool oauth_secret =
        false;  // mode `generate`: the Secret with the credentials is emitted to stdout
    std::string client_id, client_secret;
    bool external_secret = false;     // mode `external`: settings say where it fetches from
    std::vector<const Kind*> crds;    // custom kinds that the cluster is told of
    bool auth_proxy_account = false;  // apiServerProxyConfig wants kube-apiserver-auth-proxy
};

struct Plan {
    Settings settings;
    std::optional<InstallPlan> install;
    std::vector<ProxyClassPlan> proxy_classes;  // complete before the first proxy points into it
    std::vector<ProxyPlan> proxies;             // sorted by (parent_kind, parent_ns, parent_name)
    std::vector<ProxyGroupPlan> groups;         // sorted by name
    std::vector<EgressMember> egress_members;   // sorted by (group, namespace, name)
    std::vector<OfferedService> offered;        // sorted by (group, hostname)
    std::vector<MetricsPlan> metrics;
    std::optional<DnsConfigPlan> dns_config;
    std::vector<GroupPolicyPlan> group_policies;  // sorted by namespace
    std::vector<RecorderPlan> recorders;          // sorted by name
    std::vector<TailnetPlan> tailnets;            // sorted by name
    std::vector<DeviceRow> devices;               // in the order of the proxies
    std::vector<Edit> edits;               // load's edits and ours: cut documents, spliced scalars
    std::vector<LockedPort> locked_ports;  // what this run would write to the lock
    std::vector<Object>
        replacements;  // post-render: documents of the chart's stream in their new form
    std::vector<std::string>
        summary;  // further lines for people: bundles that were not rendered, …
};

// Everything that objects are generated for, in the order of messages.
void for_each_owner(const Plan& plan, const auto& visit) {
    const auto visit_all = [&](const auto& owners) { std::ranges::for_each(owners, visit); };
    visit_all(plan.proxies);
    visit_all(plan.groups);
    visit_all(plan.egress_members);
    visit_all(plan.group_policies);
    visit_all(plan.recorders);
    visit_all(plan.tailnets);
    if (plan.dns_config) {
        visit(*plan.dns_config);
    }
}

// An owner whose pods are devices: ProxyPlan, ProxyGroupPlan, RecorderPlan.
template <typename Owner>
concept HasDevices = requires(const Owner& owner) {
    owner.hostnames;
};

Plan plan(const Loaded& loaded, const Inventory& inventory, Diagnostics& diagnostics);

}  // namespace renderer
