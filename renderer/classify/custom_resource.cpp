#include "renderer/classify/custom_resource.h"

#include "renderer/classify/parent.h"

namespace renderer::classify {

Fields CustomResource::fields_at(std::initializer_list<std::string_view> path) const {
    return Fields(spec == nullptr ? nullptr : spec->at(path));
}

CustomResource decode_custom_resource(const Document& doc) {
    CustomResource resource;
    decode_metadata(doc, resource);
    resource.spec = Fields(&doc.root).map("spec");
    return resource;
}

}  // namespace renderer::classify
