// The kinds that the programs use by name, one row each. Other kinds are foreign and count as
// namespaced. Fields of objects are in renderer/schema/schemas.txt.
// Source: API reference of Kubernetes 1.32-1.37.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "renderer/contract/labels.h"
#include "renderer/kube/custom_kinds.h"
#include "renderer/kube/kind.h"

namespace renderer::inline kube {

// Of the operator's Deployment: the API proxy.
inline constexpr PodTraits kDeploymentPods = {.parent_type = label::kApiProxyType,
                                              .are_proxies = false,
                                              .forward_packets = false,
                                              .are_devices = true,
                                              .serve_several = false,
                                              .public_by = "",
                                              .write_state = true,
                                              .ask_for_keys = true,
                                              .keep_operator_name = false,
                                              .id = "api-proxy",
                                              .caption = "API server proxy"};
inline constexpr PodTraits kServicePods = {.parent_type = "svc",
                                           .are_proxies = true,
                                           .forward_packets = true,
                                           .are_devices = true,
                                           .serve_several = false,
                                           .public_by = "",
                                           .write_state = true,
                                           .ask_for_keys = true,
                                           .keep_operator_name = false,
                                           .id = "proxy",
                                           .caption = "proxy"};
inline constexpr PodTraits kIngressPods = {.parent_type = "ingress",
                                           .are_proxies = true,
                                           .forward_packets = true,
                                           .are_devices = true,
                                           .serve_several = false,
                                           .public_by = kByFunnel,
                                           .write_state = true,
                                           .ask_for_keys = true,
                                           .keep_operator_name = false,
                                           .id = "proxy",
                                           .caption = "proxy"};

// All cluster-scoped kinds of Kubernetes are here.
inline constexpr std::array kKubernetesKinds = {
    Kind{"v1", "ComponentStatus", "componentstatuses"},
    Kind{"v1", "ConfigMap", "configmaps", Scope::Namespaced},
    Kind{"v1", "Event", "events", Scope::Namespaced},
    Kind{"v1", "Namespace", "namespaces"},
    Kind{"v1", "Node", "nodes"},
    Kind{"v1", "PersistentVolume", "persistentvolumes"},
    Kind{"v1", "Pod", "pods", Scope::Namespaced},
    Kind{"v1", "Secret", "secrets", Scope::Namespaced},
    Kind{"v1", "Service", "services", Scope::Namespaced,
         parent_with(kServicePods, "TailscaleProxyReady")},
    Kind{"v1", "ServiceAccount", "serviceaccounts", Scope::Namespaced},
    Kind{"admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy",
         "mutatingadmissionpolicies"},
    Kind{"admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBinding",
         "mutatingadmissionpolicybindings"},
    Kind{"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration",
         "mutatingwebhookconfigurations"},
    Kind{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
         "validatingadmissionpolicies"},
    Kind{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
         "validatingadmissionpolicybindings"},
    Kind{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
         "validatingwebhookconfigurations"},
    Kind{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions"},
    Kind{"apiregistration.k8s.io/v1", "APIService", "apiservices"},
    Kind{"apps/v1", "Deployment", "deployments", Scope::Namespaced,
         KindRole{.pods = kDeploymentPods}},
    Kind{"apps/v1", "StatefulSet", "statefulsets", Scope::Namespaced},
    Kind{"certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests"},
    Kind{"certificates.k8s.io/v1beta1", "ClusterTrustBundle", "clustertrustbundles"},
    Kind{"coordination.k8s.io/v1", "Lease", "leases", Scope::Namespaced},
    Kind{"discovery.k8s.io/v1", "EndpointSlice", "endpointslices", Scope::Namespaced},
    Kind{"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas"},
    Kind{"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration",
         "prioritylevelconfigurations"},
    Kind{"internal.apiserver.k8s.io/v1alpha1", "StorageVersion", "storageversions"},
    Kind{"networking.k8s.io/v1", "IPAddress", "ipaddresses"},
    Kind{"networking.k8s.io/v1", "Ingress", "ingresses", Scope::Namespaced,
         parent_with(kIngressPods, "")},
    Kind{"networking.k8s.io/v1", "IngressClass", "ingressclasses"},
    Kind{"networking.k8s.io/v1", "ServiceCIDR", "servicecidrs"},
    Kind{"node.k8s.io/v1", "RuntimeClass", "runtimeclasses"},
    Kind{"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles"},
    Kind{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings"},
    Kind{"rbac.authorization.k8s.io/v1", "Role", "roles", Scope::Namespaced},
    Kind{"rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", Scope::Namespaced},
    Kind{"resource.k8s.io/v1", "DeviceClass", "deviceclasses"},
    Kind{"resource.k8s.io/v1", "ResourceSlice", "resourceslices"},
    Kind{"scheduling.k8s.io/v1", "PriorityClass", "priorityclasses"},
    Kind{"storage.k8s.io/v1", "CSIDriver", "csidrivers"},
    Kind{"storage.k8s.io/v1", "CSINode", "csinodes"},
    Kind{"storage.k8s.io/v1", "StorageClass", "storageclasses"},
    Kind{"storage.k8s.io/v1", "VolumeAttachment", "volumeattachments"},
    Kind{"storage.k8s.io/v1", "VolumeAttributesClass", "volumeattributesclasses"},
    Kind{"storagemigration.k8s.io/v1beta1", "StorageVersionMigration", "storageversionmigrations"},
};

// Sorted by group and name. Names are unique.
inline constexpr auto kKinds = [] {
    std::array<Kind, kKubernetesKinds.size() + kCustomKinds.size()> all = {};
    std::ranges::copy(kCustomKinds, std::ranges::copy(kKubernetesKinds, all.begin()).out);
    return all;
}();

// Returns the row of a kind that must be in the table; any other name does not compile.
consteval const Kind& kind_of(std::string_view name) {
    return *std::ranges::find(kKinds, name, &Kind::name);
}

// Returns nullptr if no row has that name.
const Kind* find_kind(std::string_view name);

// Returns the kinds of kCustomVersion.
constexpr std::span<const Kind> custom_kinds() {
    const auto* first = std::ranges::find_if(kKinds, &Kind::is_custom);
    return {first, std::ranges::find_if_not(first, kKinds.end(), &Kind::is_custom)};
}

// Returns the row of the kind of "Kind/namespace/name" or "Kind/name"; nullptr if it has none.
const Kind* find_kind_in(std::string_view object);
// Returns what is made for that object; nullptr if it has no pods.
const PodTraits* find_pods(std::string_view object);

// Returns the parent in the operator's labels `parent-resource-type`, `-ns` and `parent-resource`,
// as in our annotation: Kind/namespace/name or Kind/name; "" if the type is unknown.
std::string parent_in_labels(std::string_view type, std::string_view ns, std::string_view name);

// True for a cluster-scoped kind in any version of its group.
bool is_cluster_scoped(std::string_view api_version, std::string_view kind);

}  // namespace renderer::inline kube
