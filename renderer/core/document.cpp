#include "renderer/core/document.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"

namespace renderer {

std::string object_name(std::string_view kind, std::string_view ns, std::string_view name) {
    return ns.empty() ? fmt::format("{}/{}", kind, name) : fmt::format("{}/{}/{}", kind, ns, name);
}

std::string Document::object_name() const {
    return renderer::object_name(text_of(kind), effective_namespace, text_of(name));
}

std::string_view Object::api_version() const {
    return text_of(root, {"apiVersion"});
}
std::string_view Object::kind() const {
    return text_of(root, {"kind"});
}
std::string_view Object::name() const {
    return text_of(root, {"metadata", "name"});
}
std::string_view Object::ns() const {
    return text_of(root, {"metadata", "namespace"});
}

std::string Object::object_name() const {
    return renderer::object_name(kind(), ns(), name());
}

}  // namespace renderer
