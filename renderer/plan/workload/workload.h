// What every feature that makes pods has in common, and for each feature what only it has: a
// StatefulSet (the nameserver: a Deployment) with everything around it. Strings are final: the
// generators add nothing but structure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/offered_service.h"
#include "renderer/plan/group/proxy_group_plan.h"
#include "renderer/plan/release.h"

namespace renderer {

enum class Target : std::uint8_t { ClusterIp, DnsName, TailnetIp, TailnetName, Serve, Routes };

// How the kubelet learns that a pod is in the tailnet. What comes to the address of a pod may lead
// elsewhere: then it has to ask inside. tailrender-proxy is asked by its own program.
enum class HealthProbe : std::uint8_t { None, FromNode, Inside, ByProgram };

// The proxy of one Service, Ingress or Connector.
struct ProxyPlan {
    bool userspace = false;
    Target target = Target::DnsName;
    Pos target_pos;                      // of the annotation that names it, if one does
    std::string target_value;            // address or DNS name; unused for Serve and Routes
    std::optional<IpFamily> family;      // the only one of the headless Service; empty: both
    std::vector<ServeHandler> handlers;  // Serve: sorted by path, unique
    bool funnel = false;
    bool http_redirect = false;
    std::vector<std::string> routes;  // Routes: canonical, sorted, unique
    bool app_connector = false;
    HealthProbe probe = HealthProbe::None;
};

struct RecorderPlan {
    const CustomResource* input = nullptr;  // what goes to Kubernetes unchanged
};

struct NameserverPlan {
    std::string cluster_ip;  // "" = not pinned
    std::int64_t replicas = 1;
    // Fields of the pod; nullptr: none.
    const Value* affinity = nullptr;
    const Value* node_selector = nullptr;
    const Value* pull_secrets = nullptr;  // beside the chart's
    const Value* tolerations = nullptr;
};

// Of AWS, for the load balancer of one replica.
struct ElasticIp {
    std::string_view allocation, subnet;
};

struct PeerRelayPlan {
    int capability = 0;                  // part of the name of the pods' configuration
    std::int64_t port = 0;               // UDP, of load balancers and pods
    const Value* annotations = nullptr;  // of the Services, as the user wishes; a map
    std::vector<ElasticIp> elastic_ips;  // of the first replicas; empty, or enough for all
    std::vector<std::string_view> static_endpoints;  // "203.0.113.7:41641"
};

struct ApiProxyPlan {
    bool impersonates = true;  // false, mode noauth: requests keep the credentials that they bring
    std::string unrecorded =
        {};  // RESOURCE/SUBRESOURCE that enforceRecorder lets pass, joined by ,
};

struct EnvVariable {
    std::string_view name;  // static text, or the input's
    std::string value;
};

// Every pod mounts what belongs to every replica and picks its own by name: a StatefulSet has one
// template. Volume "<name>-<ordinal>" of the Secret "<pod>-<secret>", at "<directory>/<pod>".
// Static text.
struct ReplicaVolume {
    std::string_view name, secret;
    std::string_view item;  // the only key that is mounted; "" for all
    std::string_view directory;
};

// Orders of certificates do not name the one that they replace, whose account may be gone.
constexpr std::string_view kForceRenewal = "TS_DEBUG_ACME_FORCE_RENEWAL";

constexpr ReplicaVolume kConfigVolume = {"tailscaledconfig", "config", "", "/etc/tsconfig"};
constexpr ReplicaVolume kAuthVolume = {"auth", "auth", "authkey", "/etc/tsauth"};
constexpr ReplicaVolume kServeVolume = {"serve-config", "config", "serve-config",
                                        "/etc/tailscaled"};
constexpr std::string_view kServeFile = "/etc/tailscaled/$(POD_NAME)/serve-config";

// The name of an object in the workload's namespace, which no one else may have.
struct Claim {
    std::string_view kind;  // static text
    std::string name;
    Pos pos;  // what the name was made of
};

struct Workload {
    Origin origin;
    std::uint32_t bundle = 0;
    Release release;             // of the operator whose objects these are
    std::string_view generator;  // in messages and `explain`: "l3-ingress"
    std::string name;            // of StatefulSet, Role and RoleBinding
    std::string ns;              // where all of them live
    std::string account;         // ServiceAccount
    bool makes_account = true;   // false: the chart does
    std::string parent_ns, parent_name;
    std::vector<std::pair<std::string_view, std::string>> labels;  // of its objects
    std::vector<Claim> claims;
    std::vector<std::string> hostnames;  // of every replica, in the order of their ordinals
    Pos hostname_pos;                    // what they were made of
    std::string_view hostname_advice;    // for whoever wants another hostname
    std::vector<std::string> tags;       // trimmed
    std::string tailnet;                 // "" = the controller's own
    std::string server_url;              // "" = the default control server
    std::string target_text;             // for people: "shop/web", "tailnet 100.64.0.7"
    Dataplane dataplane = Dataplane::Containerboot;
    Privileges privileges = Privileges::Privileged;  // where it forwards packets
    std::string image;
    std::string pull_policy;                      // "" = not set
    std::string priority_class;                   // "" = not set
    const ProxyClassPlan* proxy_class = nullptr;  // one of Plan::proxy_classes
    std::string_view metrics_type;  // ts_proxy_type; "": the pods have no ports of their own
    bool certificates = false;      // they ask Let's Encrypt for certificates
    std::vector<EnvVariable> env;   // what the feature adds, in the order of the container
    std::vector<std::pair<std::string_view, std::string>> pod_annotations;
    std::vector<ReplicaVolume> volumes;
    std::vector<const ServiceInput*> backends;  // Services that it sends requests to
    std::vector<Edit> edits;                    // of the parent
    std::variant<ProxyPlan, ProxyGroupPlan, RecorderPlan, NameserverPlan, PeerRelayPlan,
                 ApiProxyPlan>
        feature;

    // "ts-web-ztn66-0"
    [[nodiscard]] std::string pod(std::size_t ordinal) const;
    template <typename Feature>
    [[nodiscard]] const Feature* as() const {
        return std::get_if<Feature>(&feature);
    }
};

bool is_api_group(const Workload& workload);  // of type kube-apiserver

// A group that serves the Kubernetes API by the stock program: its key is in its configuration,
// which is the controller's.
bool runs_k8s_proxy(const Workload& workload);

Value labels_of(const Workload& workload);

// The control server as the pods' configuration spells it; "": it does not.
std::string_view spelled_server(const Release& release, std::string_view server_url);

// `visit(workload, feature)` for those of one feature, in their order.
template <typename Feature, typename Workloads, typename Visit>
void for_each_of(Workloads& workloads, const Visit& visit) {
    for (auto& workload : workloads) {
        if (auto* feature = std::get_if<Feature>(&workload.feature)) {
            visit(workload, *feature);
        }
    }
}

}  // namespace renderer
