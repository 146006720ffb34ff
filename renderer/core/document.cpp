#include "renderer/core/document.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"

namespace renderer::inline core {

std::string_view kind_of_name(std::string_view object_name) {
    return object_name.substr(0, object_name.find('/'));
}

std::string object_name(std::string_view kind, std::string_view ns, std::string_view name) {
    return ns.empty() ? fmt::format("{}/{}", kind, name) : fmt::format("{}/{}/{}", kind, ns, name);
}

std::string Document::object_name() const {
    return renderer::object_name(text_of(kind), effective_namespace, text_of(name));
}

std::string Object::object_name() const {
    return renderer::object_name(kind(), ns(), name());
}

}  // namespace renderer::inline core
