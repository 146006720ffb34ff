// What will exist and how it is called, as far as it is decided: the data between plan and whoever
// reads it. plan.h makes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/document.h"
#include "renderer/kube/kinds.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/offered_service.h"
#include "renderer/plan/group/proxy_group_plan.h"
#include "renderer/plan/settings/settings.h"
#include "renderer/plan/workload/metrics_plan.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

// A tailnet beside the controller's own, for the controller.
struct TailnetPlan {
    Origin origin;
    std::uint32_t bundle = 0;
    std::string ns;  // of the Secret, and of what we render
    std::string name;
    std::string login_url;
    std::string secret;  // its OAuth credentials
};

// The ProxyGroupPolicies of one namespace.
struct GroupPolicyPlan {
    Origin origin;  // the first of the namespace's policies
    std::uint32_t bundle = 0;
    std::string ns;
    std::set<std::string> ingress, egress;  // names of ProxyGroups; empty: none is allowed
};

// One line of the table at the end of a run.
struct DeviceRow {
    std::string hostname, kind, tags, target;
    bool is_public = false;
    Pos pos;
    std::string tailnet = {};  // "" = the controller's own
    std::string kept = {};     // why an engine leaves its parent as it is; "" = it does not
};

// What a cluster needs besides proxies. Nothing of it when `render` sees no operator.
struct InstallPlan {
    std::uint32_t bundle = 0;
    Origin origin;
    std::string ns;
    classify::OperatorNames names;
    bool emit_namespace = true;       // false: an input declares it, or post-render
    bool emit_api_namespace = false;  // the API proxy's own namespace, which no input declares
    bool oauth_secret =
        false;  // mode `generate`: the Secret with the credentials is emitted to stdout
    std::string client_id, client_secret;
    bool external_secret = false;     // mode `external`: settings say where it fetches from
    std::vector<const Kind*> crds;    // custom kinds that the cluster is told of
    bool auth_proxy_account = false;  // apiServerProxyConfig wants kube-apiserver-auth-proxy
};

// What the operator's own documents become.
struct Installation {
    std::optional<InstallPlan> install;
    std::vector<Object> replacements;  // post-render: the chart's documents in their new form
    std::vector<Edit> edits;           // which cut them out
    std::vector<std::string> summary;  // what has to exist in the cluster
};

struct Plan {
    Settings settings;
    std::optional<InstallPlan> install;
    std::vector<ProxyClassPlan> proxy_classes;  // complete before the first proxy points into it
    // By kind and name. Last the API proxy.
    std::vector<Workload> workloads;
    // The API proxy, where the controller is not rendered, and so neither is this: its names are
    // taken.
    std::optional<Workload> api_proxy_elsewhere;
    std::vector<EgressMember> egress_members;  // sorted by (group, namespace, name)
    std::vector<OfferedService> offered;       // sorted by (group, hostname)
    std::vector<MetricsPlan> metrics;
    std::vector<GroupPolicyPlan> group_policies;  // sorted by namespace
    std::vector<TailnetPlan> tailnets;            // sorted by name
    std::vector<DeviceRow> devices;               // workloads, then what groups offer
    // What makes inputs with these settings, besides "tailscale".
    std::vector<std::string> input_words;
    // Parents without a device because of something that is not known, and what that is.
    std::map<std::string, std::string> undecided;
    std::vector<Edit> edits;  // load's edits and ours: cut documents, spliced scalars
    std::vector<load::LockedPort> locked_ports;  // what this run would write to the lock
    std::vector<Object>
        replacements;  // post-render: documents of the chart's stream in their new form
    std::vector<const Document*> ours;  // sorted: Services and Ingresses that it is built on
    std::vector<std::string>
        summary;  // further lines for people: bundles that were not rendered, …
};

}  // namespace renderer::plan
