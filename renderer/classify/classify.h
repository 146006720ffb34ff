// Stage 2: determines what each document is. Decodes Kubernetes' own inputs into plain structs; the
// spec of a custom resource stays a tree, and everything else stays foreign bytes. Decides no
// policy: plan decides whether a Service should be exposed, and whether a field of the wrong type
// matters. Such a field is a fault of its object, which plan reports if it uses the object.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/custom_resource.h"
#include "renderer/classify/node.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/kube/kinds.h"
#include "renderer/load/loaded.h"
#include "renderer/validate/validate.h"

namespace renderer::classify {

enum class ServiceType : std::uint8_t { ClusterIp, NodePort, LoadBalancer, ExternalName };
enum class Protocol : std::uint8_t { Tcp, Udp, Sctp };
enum class IpFamily : std::uint8_t { V4, V6 };
enum class IpFamilyPolicy : std::uint8_t { Unset, Single, PreferDual, RequireDual };
enum class PathType : std::uint8_t { Unset, Exact, Prefix, ImplementationSpecific };

struct ServicePort {
    std::string_view name;  // may be empty
    std::int64_t port = 0;  // 0 = absent
    Protocol protocol = Protocol::Tcp;
    Pos pos;  // of the number, else the entry
    std::int64_t node_port = 0;
    const Value* target_port = nullptr;
    std::string_view app_protocol;  // may be empty
};

struct ServiceInput : ParentInput {
    ServiceType type = ServiceType::ClusterIp;
    bool headless = false;
    std::string_view cluster_ip;  // "" if not pinned, or headless
    Pos cluster_ip_pos;
    std::string_view external_name;
    std::string_view load_balancer_class;
    bool has_load_balancer_class = false;
    std::vector<IpFamily> ip_families;
    IpFamilyPolicy ip_family_policy = IpFamilyPolicy::Unset;
    Pos families_pos;  // of the families, else the policy, else the object
    std::vector<ServicePort> ports;
};

struct IngressBackend {
    Pos pos;
    bool has_service = false;
    bool has_resource = false;
    std::string_view service;
    std::string_view port_name;
    std::int64_t port_number = 0;
    Pos port_pos;
};

struct IngressPath {
    Pos pos;
    std::string_view path;  // "" when absent
    Pos path_pos;
    PathType path_type = PathType::Unset;
    Pos path_type_pos;
    IngressBackend backend;
};

struct IngressRule {
    Pos pos;
    std::string_view host;
    Pos host_pos;
    bool has_http = false;
    std::vector<IngressPath> paths;
};

struct IngressHost {
    std::string_view name;
    Pos pos;
};

struct IngressInput : ParentInput {
    bool served =
        true;  // false: an apiVersion that Kubernetes no longer serves; only the class is read
    std::string_view class_name;
    bool has_class_name = false;
    bool has_default_backend = false;
    IngressBackend default_backend;
    bool has_tls_host = false;
    std::string_view tls_host;  // spec.tls[0].hosts[0], uncut
    Pos tls_host_pos;
    std::size_t tls_entries = 0;
    std::vector<IngressHost> tls_hosts;  // of all entries
    std::vector<IngressRule> rules;
};

struct NamespaceInput {
    const Document* doc = nullptr;
    std::string_view name;
};

// The operator's own objects among the inputs: from its chart's stream in post-render, or its
// static manifest in a tree.
struct OperatorInput {
    const Document* deployment = nullptr;  // nullptr if there is none
    std::vector<const Document*>
        parts;     // documents of the chart to replace or pass through, including the Deployment
    Value values;  // settings from its env, as chart values (the lowest layer of settings)
};

struct Inventory {
    std::vector<ServiceInput> services;   // all Services, exposed or not: backends of Ingresses
    std::vector<IngressInput> ingresses;  // all Ingresses
    std::vector<NamespaceInput> namespaces;
    std::vector<NodeInput> nodes;
    OperatorInput stock_operator;
    std::map<const Kind*, std::vector<CustomResource>> custom_resources;  // those of kCustomVersion
    // All inputs of group tailscale.com, of any kind and version.
    std::vector<const Document*> custom_documents;

    // Returns the resources of one kind: inventory.of(kind_of("Recorder")).
    [[nodiscard]] std::span<const CustomResource> of(const Kind& kind) const;
};

// `found` holds the faults that the schemas found in the inputs.
Inventory classify(const load::Loaded& loaded, const validate::InputFaults& found,
                   Diagnostics& diagnostics);

}  // namespace renderer::classify
