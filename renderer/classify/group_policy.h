// ProxyGroupPolicy (tailscale.com/v1alpha1): which groups the objects of a namespace may use.
// Source: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_proxygrouppolicy.go.
#pragma once

#include <vector>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"

namespace renderer {

struct GroupPolicyInput : ParentInput {
    std::vector<TextInput> ingress, egress;  // names of ProxyGroups
};

GroupPolicyInput decode_group_policy(const Document& doc);

}  // namespace renderer
