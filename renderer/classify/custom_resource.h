// An object of one of the operator's own kinds. Its spec stays a tree: what a field means is for
// the planner of that kind to say.
#pragma once

#include <initializer_list>
#include <string_view>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/value.h"

namespace renderer {

struct CustomResource : ParentInput {
    const Value* spec = nullptr;  // a map; nullptr: there is none

    // A map in the spec, whose fields are absent if there is none.
    [[nodiscard]] Fields fields_at(std::initializer_list<std::string_view> path) const;
    [[nodiscard]] Fields fields() const { return fields_at({}); }
};

CustomResource decode_custom_resource(const Document& doc);

}  // namespace renderer
