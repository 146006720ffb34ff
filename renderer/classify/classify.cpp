#include "renderer/classify/classify.h"

#include <utility>

#include "renderer/classify/ingress.h"
#include "renderer/classify/reference.h"
#include "renderer/classify/service.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"

namespace renderer {

namespace {

// Of any version: an Ingress that Kubernetes no longer serves must not be silently ignored.
bool is_ingress(std::string_view version, std::string_view kind) {
    return kind == "Ingress" &&
           (version.starts_with("networking.k8s.io/") || version.starts_with("extensions/"));
}

struct Decoder {
    const Kind& kind;
    void (*add)(const Document& doc, const InputFaults& found, Inventory& inventory);
};

template <auto kInputs, auto kDecode>
void add(const Document& doc, const InputFaults& found, Inventory& inventory) {
    auto input = kDecode(doc);
    for (Diagnostic& fault : found.shape_of(doc)) {
        input.faults.push_back(std::move(fault));
    }
    (inventory.*kInputs).push_back(std::move(input));
}

// Plan has its own words for what Kubernetes' own kinds lack.
template <auto kInputs, auto kDecode>
void add_parent(const Document& doc, const InputFaults& found, Inventory& inventory) {
    add<kInputs, kDecode>(doc, found, inventory);
    std::erase_if((inventory.*kInputs).back().faults,
                  [](const Diagnostic& fault) { return fault.rule == kRequiredRule; });
}

constexpr Decoder kDecoders[] = {
    {kind_of("Connector"), add<&Inventory::connectors, decode_connector>},
    {kind_of("DNSConfig"), add<&Inventory::dns_configs, decode_dns_config>},
    {kind_of("ProxyClass"), add<&Inventory::proxy_classes, decode_proxy_class>},
    {kind_of("ProxyGroup"), add<&Inventory::proxy_groups, decode_proxy_group>},
    {kind_of("ProxyGroupPolicy"), add<&Inventory::group_policies, decode_group_policy>},
    {kind_of("Recorder"), add<&Inventory::recorders, decode_recorder>},
    {kind_of("Tailnet"), add<&Inventory::tailnets, decode_tailnet>},
};

// Of other versions only the document is kept.
void classify_custom_resource(const Document& doc, const InputFaults& found, Inventory& inventory) {
    inventory.custom_resources.push_back(&doc);
    for (const Decoder& decoder : kDecoders) {
        if (text_of(doc.kind) == decoder.kind.name &&
            text_of(doc.api_version) == decoder.kind.api_version && doc.root.is_map()) {
            decoder.add(doc, found, inventory);
        }
    }
}

void classify_document(const Document& doc, const InputFaults& found, Inventory& inventory) {
    const std::string_view version = text_of(doc.api_version);
    const std::string_view kind = text_of(doc.kind);
    if (version.starts_with("tailscale.com/")) {
        classify_custom_resource(doc, found, inventory);
    } else if (version == "v1" && kind == "Service" && doc.root.is_map()) {
        add_parent<&Inventory::services, decode_service>(doc, found, inventory);
    } else if (is_ingress(version, kind) && doc.root.is_map()) {
        add_parent<&Inventory::ingresses, decode_ingress>(doc, found, inventory);
    } else if (version == "v1" && kind == "Namespace") {
        inventory.namespaces.push_back({&doc, text_of(doc.name)});
    } else if (version == "v1" && kind == "Node" && doc.root.is_map()) {
        inventory.nodes.push_back(decode_node(doc));
    }
}

}  // namespace

Inventory classify(const Loaded& loaded, const InputFaults& found, Diagnostics& diagnostics) {
    Inventory inventory;
    classify_reference(loaded, inventory, diagnostics);
    for (const Document& doc : loaded.documents) {
        classify_document(doc, found, inventory);
    }
    return inventory;
}

}  // namespace renderer
