#include "renderer/load/object_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "renderer/core/text_of.h"

namespace renderer {

void check_names(const Value& root, Diagnostics& diagnostics) {
    for (const std::string_view key : {"name", "namespace"}) {
        const Value* value = root.at({"metadata", key});
        if (value != nullptr && !value->is_null() && !value->is_string()) {
            diagnostics
                .error("wrong-type", value->pos(), fmt::format("metadata.{} must be a string", key))
                .found(kind_name(*value))
                .expected("a string")
                .hint("put it in quotes");
        }
    }
}

void check_list(const Document& document, Diagnostics& diagnostics) {
    if (!document.mentions_tailscale || text_of(document.kind) != "List" ||
        text_of(document.api_version) != "v1") {
        return;
    }
    const std::span<const Member> fields = document.root.members();
    const auto near = std::ranges::find_if(
        fields, [](const Member& field) { return !nearest(field.name(), {"items"}).empty(); });
    const bool is_found = near != fields.end();
    const bool is_right = is_found && near->name() == "items";
    diagnostics
        .error("incomplete-object",
               !is_found  ? document.kind.pos()
               : is_right ? near->value.pos()
                          : near->key.pos(),
               "this List has no items")
        .found(!is_found  ? std::string_view()
               : is_right ? kind_name(near->value)
                          : near->name())
        .expected("items, as a list");
}

}  // namespace renderer
