// A ProxyGroup: several replicas that share the work of many Services or Ingresses, or serve the
// Kubernetes API. Only types are checked here; names and grammars are plan's. Source: tailscale
// v1.96.5 k8s-operator/apis/v1alpha1/types_proxygroup.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/classify/parent_input.h"

namespace renderer {

enum class GroupType : std::uint8_t { Unset, Egress, Ingress, KubeApiServer };

// A text and where it stands; unknown when it is absent, then the text is empty.
struct PlacedText {
    std::string_view text;
    Pos pos;
};

struct ProxyGroupInput : ParentInput {
    GroupType type = GroupType::Unset;
    std::int64_t replicas = 2;
    Pos replicas_pos;
    std::vector<PlacedText> tags;
    PlacedText hostname_prefix;
    PlacedText proxy_class;
    PlacedText tailnet;
    bool api_auth = true;  // spec.kubeAPIServer.mode
    PlacedText api_hostname;
};

ProxyGroupInput decode_proxy_group(const Document& doc);

}  // namespace renderer
