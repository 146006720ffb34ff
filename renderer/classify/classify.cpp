#include "renderer/classify/classify.h"

#include "renderer/classify/ingress.h"
#include "renderer/classify/reference.h"
#include "renderer/classify/service.h"
#include "renderer/core/text_of.h"

namespace renderer {

namespace {

// Of any version: an Ingress that Kubernetes no longer serves must not be silently ignored.
bool is_ingress(std::string_view version, std::string_view kind) {
    return kind == "Ingress" &&
           (version.starts_with("networking.k8s.io/") || version.starts_with("extensions/"));
}

// Of other versions only the document is kept.
void classify_custom_resource(const Document& doc, Inventory& inventory) {
    inventory.custom_resources.push_back(&doc);
    if (text_of(doc.api_version) != kCustomVersion || !doc.root.is_map()) {
        return;
    }
    const std::string_view kind = text_of(doc.kind);
    if (kind == "Connector") {
        inventory.connectors.push_back(decode_connector(doc));
    } else if (kind == "ProxyGroup") {
        inventory.proxy_groups.push_back(decode_proxy_group(doc));
    } else if (kind == "DNSConfig") {
        inventory.dns_configs.push_back(decode_dns_config(doc));
    } else if (kind == "ProxyGroupPolicy") {
        inventory.group_policies.push_back(decode_group_policy(doc));
    } else if (kind == "Recorder") {
        inventory.recorders.push_back(decode_recorder(doc));
    } else if (kind == "Tailnet") {
        inventory.tailnets.push_back(decode_tailnet(doc));
    } else if (kind == "ProxyClass") {
        inventory.proxy_classes.push_back(decode_proxy_class(doc));
    }
}

void classify_document(const Document& doc, Inventory& inventory) {
    const std::string_view version = text_of(doc.api_version);
    const std::string_view kind = text_of(doc.kind);
    if (version.starts_with("tailscale.com/")) {
        classify_custom_resource(doc, inventory);
    } else if (version == "v1" && kind == "Service" && doc.root.is_map()) {
        inventory.services.push_back(decode_service(doc));
    } else if (is_ingress(version, kind) && doc.root.is_map()) {
        inventory.ingresses.push_back(decode_ingress(doc));
    } else if (version == "v1" && kind == "Namespace") {
        inventory.namespaces.push_back({&doc, text_of(doc.name)});
    } else if (version == "v1" && kind == "Node" && doc.root.is_map()) {
        inventory.nodes.push_back(decode_node(doc));
    }
}

}  // namespace

Inventory classify(const Loaded& loaded, Diagnostics& diagnostics) {
    Inventory inventory;
    classify_reference(loaded, inventory, diagnostics);
    for (const Document& doc : loaded.documents) {
        classify_document(doc, inventory);
    }
    return inventory;
}

}  // namespace renderer
