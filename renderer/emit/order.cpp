#include "renderer/emit/order.h"

#include <algorithm>
#include <iterator>

namespace renderer::emit {
namespace {

constexpr std::string_view kInstallOrder[] = {
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
};

}  // namespace

OrderKey order_key(std::string_view api_version, std::string_view kind, std::string_view ns,
                   std::string_view name) {
    const auto* found = std::ranges::find(kInstallOrder, kind);
    const bool known = found != std::end(kInstallOrder);
    return {static_cast<int>(found - std::begin(kInstallOrder)), known ? std::string_view() : kind,
            ns, name, api_version};
}

}  // namespace renderer::emit
