#include "renderer/load/object_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "renderer/core/text_of.h"

namespace renderer::load {

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
    const Value* items = document.root.find("items");
    if (!document.mentions_tailscale || text_of(document.kind) != "List" ||
        (items != nullptr && items->is_null())) {
        return;
    }
    const std::span<const Member> fields = document.root.members();
    const auto near = std::ranges::find_if(
        fields, [](const Member& field) { return !nearest(field.name(), {"items"}).empty(); });
    const bool is_mistyped = items == nullptr && near != fields.end();
    diagnostics
        .error("incomplete-object",
               items != nullptr ? items->pos()
               : is_mistyped    ? near->key.pos()
                                : document.kind.pos(),
               "this List has no items")
        .found(items != nullptr ? kind_name(*items)
               : is_mistyped    ? near->name()
                                : std::string_view())
        .expected("items, as a list");
}

}  // namespace renderer::load
