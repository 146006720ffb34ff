// Connector (tailscale.com/v1alpha1): devices that route the tailnet's traffic onwards, as a subnet
// router, an exit node or an app connector. Source: tailscale v1.96.5
// k8s-operator/apis/v1alpha1/types_connector.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "renderer/classify/custom_resource.h"
#include "renderer/classify/fields.h"
#include "renderer/core/pos.h"

namespace renderer::plan {

// spec.subnetRouter or spec.appConnector.
struct ConnectorRoutes {
    bool exists = false;
    bool has_list = false;
    Pos pos;  // position of the list, else of the block
    std::vector<classify::TextInput> routes;
};

struct ConnectorInput : classify::ParentInput {
    explicit ConnectorInput(const classify::CustomResource& resource);

    ConnectorRoutes subnet_router, app_connector;
    bool exit_node = false;
    Pos exit_node_pos;
    std::optional<classify::TextInput> hostname, hostname_prefix;
    std::int64_t replicas = 1;
    Pos replicas_pos;
    std::vector<classify::TextInput> tags;
    classify::TextInput proxy_class;  // its text is "" if it is absent
    classify::TextInput tailnet;
};

}  // namespace renderer::plan
