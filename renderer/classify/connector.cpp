#include "renderer/classify/connector.h"

#include "renderer/classify/parent.h"

namespace renderer {

namespace {

ConnectorRoutes decode_routes(const Value* block, std::string_view key) {
    if (block == nullptr) {
        return {};
    }
    const Fields fields(block);
    return {.exists = true,
            .has_list = fields.any(key) != nullptr,
            .pos = known_or(fields.pos(key), block->pos()),
            .routes = fields.texts(key)};
}

}  // namespace

ConnectorInput decode_connector(const Document& doc) {
    ConnectorInput connector;
    decode_metadata(doc, connector);
    const Fields spec(doc.root.find("spec"));
    connector.subnet_router = decode_routes(spec.map("subnetRouter"), "advertiseRoutes");
    connector.app_connector = decode_routes(spec.map("appConnector"), "routes");
    connector.exit_node = spec.flag("exitNode");
    connector.exit_node_pos = spec.pos("exitNode");
    connector.hostname = spec.placed("hostname");
    connector.hostname_prefix = spec.placed("hostnamePrefix");
    connector.replicas = spec.number("replicas").value_or(1);
    connector.replicas_pos = spec.pos("replicas");
    connector.tags = spec.texts("tags");
    connector.proxy_class = spec.placed("proxyClass").value_or(TextInput());
    connector.tailnet = spec.placed("tailnet").value_or(TextInput());
    return connector;
}

}  // namespace renderer
