// An object of one of the operator's kinds. Its spec stays a tree, since the planner of the kind
// interprets the fields.
#pragma once

#include <initializer_list>
#include <string_view>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/value.h"

namespace renderer::classify {

struct CustomResource : ParentInput {
    const Value* spec = nullptr;  // a map, or nullptr

    // Returns the fields of a map in the spec; all are absent if the map is missing.
    [[nodiscard]] Fields fields_at(std::initializer_list<std::string_view> path) const;
    [[nodiscard]] Fields fields() const { return fields_at({}); }
};

CustomResource decode_custom_resource(const Document& doc);

}  // namespace renderer::classify
