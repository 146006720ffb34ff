#include "renderer/emit/order.h"

#include <algorithm>
#include <iterator>

namespace renderer {
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

int install_rank(std::string_view kind) {
    const auto* found = std::find(std::begin(kInstallOrder), std::end(kInstallOrder), kind);
    return static_cast<int>(found - std::begin(kInstallOrder));
}

OrderKey order_key(std::string_view api_version, std::string_view kind, std::string_view ns,
                   std::string_view name) {
    const int rank = install_rank(kind);
    const bool known = rank < static_cast<int>(std::size(kInstallOrder));
    return {rank, known ? std::string_view() : kind, ns, name, api_version};
}

}  // namespace renderer
