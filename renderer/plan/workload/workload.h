// The fields that all features with pods have in common, and for each feature the fields that only
// it has: a StatefulSet (the nameserver: a Deployment) with its other objects. Strings are final:
// the generators add nothing but structure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/kube/kind.h"
#include "renderer/plan/class/proxy_class_plan.h"
#include "renderer/plan/group/offered_service.h"
#include "renderer/plan/group/proxy_group_plan.h"
#include "renderer/plan/release.h"

namespace renderer::plan {

enum class Target : std::uint8_t { ClusterIp, DnsName, TailnetIp, TailnetName, Serve, Routes };

// How the kubelet checks that a pod is in the tailnet. Inside: an exec probe, because packets to
// the pod's address may be forwarded elsewhere. ByProgram: tailrender-proxy itself is the probe
// command.
enum class HealthProbe : std::uint8_t { None, FromNode, Inside, ByProgram };

// The proxy of one Service, Ingress or Connector.
struct ProxyPlan {
    bool userspace = false;
    Target target = Target::DnsName;
    Pos target_pos;                            // position of the annotation that names it, if any
    std::string target_value;                  // address or DNS name; unused for Serve and Routes
    std::optional<classify::IpFamily> family;  // the only one of the headless Service; empty: both
    std::vector<ServeHandler> handlers;        // Serve: sorted by path, unique
    bool funnel = false;
    bool http_redirect = false;
    std::vector<std::string> routes;  // Routes: canonical, sorted, unique
    bool app_connector = false;
    HealthProbe probe = HealthProbe::None;
};

struct RecorderPlan {
    const classify::CustomResource* input = nullptr;  // has the fields that are copied unchanged
};

struct NameserverPlan {
    std::string cluster_ip;  // "" = not pinned
    std::int64_t replicas = 1;
    // Fields of the pod; nullptr: not set.
    const Value* affinity = nullptr;
    const Value* node_selector = nullptr;
    const Value* pull_secrets = nullptr;  // beside the chart's
    const Value* tolerations = nullptr;
};

// An Elastic IP of AWS, for the load balancer of one replica.
struct ElasticIp {
    std::string_view allocation, subnet;
};

struct PeerRelayPlan {
    // Capability version, part of the name of the pods' configuration.
    int capability = 0;
    std::int64_t port = 0;               // UDP, of load balancers and pods
    const Value* annotations = nullptr;  // annotations that the user sets for the Services; a map
    // One per replica, from the first on; empty, or enough for all.
    std::vector<ElasticIp> elastic_ips;
    std::vector<std::string_view> static_endpoints;  // "203.0.113.7:41641"
};

struct ApiProxyPlan {
    bool impersonates = true;  // false, mode noauth: requests keep their credentials
    std::string unrecorded =
        {};  // RESOURCE/SUBRESOURCE, comma-separated, that enforceRecorder allows unrecorded
};

struct EnvVariable {
    std::string_view name;  // static text, or the input's
    std::string value;
};

// Every pod mounts the volumes of every replica and chooses its own by name, because a StatefulSet
// has one template. Volume "<name>-<ordinal>" is the Secret "<pod>-<secret>", mounted at
// "<directory>/<pod>". Static text.
struct ReplicaVolume {
    std::string_view name, secret;
    std::string_view item;  // the only key that is mounted; "" for all
    std::string_view directory;
};

constexpr ReplicaVolume kConfigVolume = {"tailscaledconfig", "config", "", kConfigFolder};
constexpr ReplicaVolume kAuthVolume = {"auth", "auth", kAuthDatum, kAuthFolder};
constexpr ReplicaVolume kServeVolume = {kServeDatum, "config", kServeDatum, kServeFolder};

// The name of an object in the workload's namespace, which no other object may have.
struct Claim {
    std::string_view kind;  // static text
    std::string name;
    Pos pos;  // position of the text that the name is derived from
};

struct Workload {
    Origin origin;
    std::uint32_t bundle = 0;
    Release release;             // the operator's release
    std::string_view generator;  // for messages and `explain`: "l3-ingress"
    std::string name;            // name of StatefulSet, Role and RoleBinding
    std::string ns;              // namespace of all of them
    std::string account;         // ServiceAccount
    bool makes_account = true;   // false: the chart creates it
    std::string parent_ns, parent_name;
    std::vector<std::pair<std::string_view, std::string>> labels;  // labels of its objects
    std::vector<Claim> claims;
    std::vector<std::string> hostnames;  // of every replica, in the order of their ordinals
    Pos hostname_pos;                    // position of the text that they are derived from
    std::string_view hostname_advice;    // how to get another hostname
    std::vector<std::string> tags;       // trimmed
    std::string tailnet;                 // "" = the controller's own
    std::string server_url;              // "" = the default control server
    std::string target_text;             // for people: "shop/web", "tailnet 100.64.0.7"
    Dataplane dataplane = Dataplane::Containerboot;
    Pos dataplane_pos;                               // where that is chosen; unknown: by default
    Privileges privileges = Privileges::Privileged;  // of the containers that forward packets
    std::string image;
    std::string pull_policy;                      // "" = not set
    std::string priority_class;                   // "" = not set
    const ProxyClassPlan* proxy_class = nullptr;  // one of Plan::proxy_classes
    std::string_view metrics_type;                // ts_proxy_type; "": pods without metrics ports
    bool certificates = false;                    // pods request certificates from Let's Encrypt
    std::vector<EnvVariable> env;  // variables of the feature, in the order of the container
    std::vector<std::pair<std::string_view, std::string>> pod_annotations;
    std::vector<ReplicaVolume> volumes;
    std::vector<const classify::ServiceInput*> backends;  // Services that receive its requests
    std::vector<Edit> edits;                              // edits of the parent
    std::variant<ProxyPlan, ProxyGroupPlan, RecorderPlan, NameserverPlan, PeerRelayPlan,
                 ApiProxyPlan>
        feature;

    // Returns the answers of the parent's kind.
    [[nodiscard]] const PodTraits& traits() const;
    // Adds the labels by which the operator, too, finds what is for a parent.
    void add_parent_labels(bool with_namespace);
    // Claims the name for an object of each kind.
    void claim(std::initializer_list<std::string_view> kinds, const std::string& object_name);
    // Returns "ts-web-ztn66-0".
    [[nodiscard]] std::string pod(std::size_t ordinal) const;
    template <typename Feature>
    [[nodiscard]] const Feature* as() const {
        return std::get_if<Feature>(&feature);
    }
};

// True if anyone on the internet can reach it, by Funnel or its own load balancers.
bool is_public(const Workload& workload);

bool is_relay(const Workload& workload);

bool is_api_group(const Workload& workload);  // true for a group of type kube-apiserver

// True for a group that serves the Kubernetes API with the stock program. Its auth key is in its
// configuration, which the controller writes.
bool runs_k8s_proxy(const Workload& workload);

Value labels_of(const Workload& workload);

// Returns the control server as the pods' configuration spells it; "" if it omits it.
std::string_view spelled_server(const Release& release, std::string_view server_url);

// Calls `visit(workload, feature)` for the workloads of one feature, in their order.
template <typename Feature, typename Workloads, typename Visit>
void for_each_of(Workloads& workloads, const Visit& visit) {
    for (auto& workload : workloads) {
        if (auto* feature = std::get_if<Feature>(&workload.feature)) {
            visit(workload, *feature);
        }
    }
}

}  // namespace renderer::plan
