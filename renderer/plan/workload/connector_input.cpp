#include "renderer/plan/workload/connector_input.h"

namespace renderer::plan {

namespace {

ConnectorRoutes decode_routes(const Value* block, std::string_view key) {
    if (block == nullptr) {
        return {};
    }
    const classify::Fields fields(block);
    return {.exists = true,
            .has_list = fields.any(key) != nullptr,
            .pos = classify::known_or(fields.pos(key), block->pos()),
            .routes = fields.texts(key)};
}

}  // namespace

ConnectorInput::ConnectorInput(const classify::CustomResource& resource)
    : classify::ParentInput(resource) {
    const classify::Fields spec = resource.fields();
    subnet_router = decode_routes(spec.map("subnetRouter"), "advertiseRoutes");
    app_connector = decode_routes(spec.map("appConnector"), "routes");
    exit_node = spec.flag("exitNode");
    exit_node_pos = spec.pos("exitNode");
    hostname = spec.placed("hostname");
    hostname_prefix = spec.placed("hostnamePrefix");
    replicas = spec.number("replicas").value_or(1);
    replicas_pos = spec.pos("replicas");
    tags = spec.texts("tags");
    proxy_class = spec.placed("proxyClass").value_or(classify::TextInput());
    tailnet = spec.placed("tailnet").value_or(classify::TextInput());
}

}  // namespace renderer::plan
