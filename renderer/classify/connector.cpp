#include "renderer/classify/connector.h"

#include <limits>

#include "renderer/classify/parent.h"

namespace renderer {

namespace {

std::optional<TextInput> text(const Fields& fields, std::string_view key) {
    const Value* value = fields.text_value(key);
    return value == nullptr ? std::nullopt : std::optional(TextInput{value->text(), value->pos()});
}

// `path` must be static.
ConnectorRoutes decode_routes(const Value* block, std::string_view path, std::string_view key,
                              Faults& faults) {
    if (block == nullptr) {
        return {};
    }
    const Fields fields(block, path, faults);
    return {.exists = true,
            .has_list = fields.any(key) != nullptr,
            .pos = known_or(fields.pos(key), block->pos()),
            .routes = fields.texts(key)};
}

void decode_replicas(const Fields& spec, ConnectorInput& connector) {
    const Value* value = spec.any("replicas");
    if (value == nullptr) {
        return;
    }
    const std::size_t faults = connector.faults.size();
    connector.replicas = spec.number("replicas");
    connector.replicas_pos = value->pos();
    if (connector.replicas > std::numeric_limits<std::int32_t>::max() ||
        connector.replicas < std::numeric_limits<std::int32_t>::min()) {
        connector.faults.push_back(
            wrong_type(value->pos(), "spec.replicas", "", *value, "a number of 32 bits"));
    }
    if (connector.faults.size() > faults) {
        connector.replicas = 1;
    }
}

}  // namespace

ConnectorInput decode_connector(const Document& doc) {
    ConnectorInput connector;
    decode_metadata(doc, connector);
    Faults& faults = connector.faults;
    const Fields spec(doc.root.find("spec"), "spec", faults);
    connector.subnet_router =
        decode_routes(spec.map("subnetRouter"), "spec.subnetRouter", "advertiseRoutes", faults);
    connector.app_connector =
        decode_routes(spec.map("appConnector"), "spec.appConnector", "routes", faults);
    connector.exit_node = spec.flag("exitNode");
    connector.exit_node_pos = spec.pos("exitNode");
    connector.hostname = text(spec, "hostname");
    connector.hostname_prefix = text(spec, "hostnamePrefix");
    decode_replicas(spec, connector);
    connector.tags = spec.texts("tags");
    connector.proxy_class = text(spec, "proxyClass").value_or(TextInput());
    connector.tailnet = text(spec, "tailnet").value_or(TextInput());
    return connector;
}

}  // namespace renderer
