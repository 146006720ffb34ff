// DNSConfig (tailscale.com/v1alpha1): the nameserver for ts.net names inside the cluster. Source:
// tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_tsdnsconfig.go.
#pragma once

#include <cstdint>
#include <string_view>

#include "renderer/classify/parent_input.h"
#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

struct DnsConfigInput : ParentInput {
    Pos image_pos;  // of an image of the user's; unknown: there is none
    std::string_view cluster_ip;
    Pos cluster_ip_pos;
    std::int64_t replicas = 1;
    Pos replicas_pos;
    const Value* tolerations = nullptr;  // nullptr: absent
};

DnsConfigInput decode_dns_config(const Document& doc);

}  // namespace renderer
