#include "renderer/classify/classify.h"

#include <utility>

#include "renderer/classify/ingress.h"
#include "renderer/classify/operator_objects.h"
#include "renderer/classify/parent.h"
#include "renderer/classify/service.h"
#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"

namespace renderer::classify {

namespace {

// True for any version: an Ingress that Kubernetes no longer serves must not be silently ignored.
bool is_ingress(std::string_view version, std::string_view kind) {
    return kind == "Ingress" &&
           (version.starts_with("networking.k8s.io/") || version.starts_with("extensions/"));
}

template <typename Input>
void add(Input input, const validate::InputFaults& found, std::vector<Input>& inputs) {
    for (Diagnostic& fault : found.shape_of(*input.doc)) {
        input.faults.push_back(std::move(fault));
    }
    inputs.push_back(std::move(input));
}

// Missing fields of Kubernetes' own kinds are reported by plan, so they are left out here.
template <typename Input>
void add_parent(Input input, const validate::InputFaults& found, std::vector<Input>& inputs) {
    add(std::move(input), found, inputs);
    std::erase_if(inputs.back().faults,
                  [](const Diagnostic& fault) { return fault.rule == schema::kRequiredRule; });
}

// Decodes the kinds of kCustomVersion; of others only the document is kept.
void classify_custom_resource(const Document& doc, const validate::InputFaults& found,
                              Inventory& inventory) {
    if (doc.is_expanded) {
        return;
    }
    inventory.custom_documents.push_back(&doc);
    const Kind* kind = find_kind(text_of(doc.kind));
    if (kind != nullptr && kind->is_custom() && text_of(doc.api_version) == kind->api_version &&
        doc.root.is_map()) {
        add(decode_custom_resource(doc), found, inventory.custom_resources[kind]);
    }
}

void classify_document(const Document& doc, const validate::InputFaults& found,
                       Inventory& inventory) {
    const std::string_view version = text_of(doc.api_version);
    const std::string_view kind = text_of(doc.kind);
    if (version.starts_with(kOperatorDomain)) {
        classify_custom_resource(doc, found, inventory);
    } else if (version == "v1" && kind == "Service" && doc.root.is_map()) {
        add_parent(decode_service(doc), found, inventory.services);
    } else if (is_ingress(version, kind) && doc.root.is_map()) {
        add_parent(decode_ingress(doc), found, inventory.ingresses);
    } else if (version == "v1" && kind == "Namespace") {
        inventory.namespaces.push_back({&doc, text_of(doc.name)});
    } else if (version == "v1" && kind == "Node" && doc.root.is_map()) {
        inventory.nodes.push_back(decode_node(doc));
    }
}

template <typename Input>
void spell_booleans_of(const SourceMap& sources, std::vector<Input>& inputs) {
    for (Input& input : inputs) {
        spell_booleans(sources, input.faults);
        spell_booleans(sources, input.operator_faults);
    }
}

}  // namespace

std::span<const CustomResource> Inventory::of(const Kind& kind) const {
    const auto found = custom_resources.find(&kind);
    return found == custom_resources.end() ? std::span<const CustomResource>() : found->second;
}

Inventory classify(const load::Loaded& loaded, const validate::InputFaults& found,
                   Diagnostics& diagnostics) {
    Inventory inventory;
    classify_operator(loaded, inventory, diagnostics);
    for (const Document& doc : loaded.documents) {
        if (!doc.is_unapplied) {
            classify_document(doc, found, inventory);
        }
    }
    spell_booleans_of(loaded.sources, inventory.services);
    spell_booleans_of(loaded.sources, inventory.ingresses);
    for (auto& [kind, resources] : inventory.custom_resources) {
        spell_booleans_of(loaded.sources, resources);
    }
    return inventory;
}

}  // namespace renderer::classify
