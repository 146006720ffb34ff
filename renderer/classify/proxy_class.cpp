#include "renderer/classify/proxy_class.h"

#include "renderer/classify/parent.h"

namespace renderer {

const Value* ProxyClassInput::map_at(std::initializer_list<std::string_view> path) const {
    const Value* value = spec == nullptr ? nullptr : spec->at(path);
    return value != nullptr && value->is_map() ? value : nullptr;
}

ProxyClassInput decode_proxy_class(const Document& doc) {
    ProxyClassInput decoded;
    decode_metadata(doc, decoded);
    decoded.spec = Fields(&doc.root).map("spec");
    if (decoded.spec != nullptr) {
        decoded.ports = class_ports(*decoded.spec);
    }
    return decoded;
}

}  // namespace renderer
