#include "renderer/core/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"

namespace renderer {

namespace {

struct Scope {
    std::string_view group;  // API group, "" = core
    std::string_view kind;
};

// Cluster-scoped kinds of Kubernetes 1.30-1.35 and of the operator's CRDs; sorted by (group,
// kind).
constexpr std::array kClusterScoped = {
    Scope{"", "ComponentStatus"},
    Scope{"", "Namespace"},
    Scope{"", "Node"},
    Scope{"", "PersistentVolume"},
    Scope{"admissionregistration.k8s.io", "MutatingAdmissionPolicy"},
    Scope{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"},
    Scope{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    Scope{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
    Scope{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    Scope{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    Scope{"apiextensions.k8s.io", "CustomResourceDefinition"},
    Scope{"apiregistration.k8s.io", "APIService"},
    Scope{"certificates.k8s.io", "CertificateSigningRequest"},
    Scope{"certificates.k8s.io", "ClusterTrustBundle"},
    Scope{"flowcontrol.apiserver.k8s.io", "FlowSchema"},
    Scope{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"},
    Scope{"internal.apiserver.k8s.io", "StorageVersion"},
    Scope{"networking.k8s.io", "IPAddress"},
    Scope{"networking.k8s.io", "IngressClass"},
    Scope{"networking.k8s.io", "ServiceCIDR"},
    Scope{"node.k8s.io", "RuntimeClass"},
    Scope{"rbac.authorization.k8s.io", "ClusterRole"},
    Scope{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
    Scope{"resource.k8s.io", "DeviceClass"},
    Scope{"resource.k8s.io", "ResourceSlice"},
    Scope{"scheduling.k8s.io", "PriorityClass"},
    Scope{"storage.k8s.io", "CSIDriver"},
    Scope{"storage.k8s.io", "CSINode"},
    Scope{"storage.k8s.io", "StorageClass"},
    Scope{"storage.k8s.io", "VolumeAttachment"},
    Scope{"storage.k8s.io", "VolumeAttributesClass"},
    Scope{"storagemigration.k8s.io", "StorageVersionMigration"},
    Scope{"tailscale.com", "Connector"},
    Scope{"tailscale.com", "DNSConfig"},
    Scope{"tailscale.com", "ProxyClass"},
    Scope{"tailscale.com", "ProxyGroup"},
    Scope{"tailscale.com", "Recorder"},
    Scope{"tailscale.com", "Tailnet"},
};

std::string_view text_at(const Value& root, std::initializer_list<std::string_view> path) {
    return text_of(root.at(path));
}

}  // namespace

std::string object_name(std::string_view kind, std::string_view ns, std::string_view name) {
    return ns.empty() ? fmt::format("{}/{}", kind, name) : fmt::format("{}/{}/{}", kind, ns, name);
}

std::string Document::object_name() const {
    return renderer::object_name(text_of(kind), effective_namespace, text_of(name));
}

std::string_view Object::api_version() const {
    return text_at(root, {"apiVersion"});
}
std::string_view Object::kind() const {
    return text_at(root, {"kind"});
}
std::string_view Object::name() const {
    return text_at(root, {"metadata", "name"});
}
std::string_view Object::ns() const {
    return text_at(root, {"metadata", "namespace"});
}

std::string Object::object_name() const {
    return renderer::object_name(kind(), ns(), name());
}

bool is_cluster_scoped(std::string_view api_version, std::string_view kind) {
    const std::size_t slash = api_version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
    return std::ranges::any_of(kClusterScoped, [&](const Scope& scope) {
        return scope.group == group && scope.kind == kind;
    });
}

}  // namespace renderer
