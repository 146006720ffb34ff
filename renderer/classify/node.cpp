#include "renderer/classify/node.h"

#include "renderer/core/text_of.h"

namespace renderer::classify {

NodeInput decode_node(const Document& doc) {
    NodeInput node;
    node.doc = &doc;
    node.name = text_of(&doc.name);
    const Value* labels = doc.root.at({"metadata", "labels"});
    node.labels = labels != nullptr && labels->is_map() ? labels : nullptr;
    for (const Value& address : items_of(doc.root.at({"status", "addresses"}))) {
        if (address.is_map() && text_of(address.find("type")) == "ExternalIP") {
            node.external_ips.push_back(text_of(address.find("address")));
        }
    }
    return node;
}

}  // namespace renderer::classify
