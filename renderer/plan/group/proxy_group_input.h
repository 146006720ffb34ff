// A ProxyGroup: several replicas that share the work of many Services or Ingresses, or serve the
// Kubernetes API. Source: tailscale v1.96.5
// k8s-operator/apis/v1alpha1/types_proxygroup.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/classify/custom_resource.h"
#include "renderer/classify/fields.h"

namespace renderer::plan {

enum class GroupType : std::uint8_t { Unset, Egress, Ingress, KubeApiServer };

struct ProxyGroupInput : classify::ParentInput {
    explicit ProxyGroupInput(const classify::CustomResource& resource);

    GroupType type = GroupType::Unset;
    std::int64_t replicas = 2;
    Pos replicas_pos;
    std::vector<classify::TextInput> tags;
    classify::TextInput hostname_prefix;
    classify::TextInput proxy_class;
    classify::TextInput tailnet;
    bool api_auth = true;  // spec.kubeAPIServer.mode
    classify::TextInput api_hostname;
};

}  // namespace renderer::plan
