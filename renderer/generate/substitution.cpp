#include "renderer/generate/substitution.h"

#include <algorithm>

#include "renderer/core/text_of.h"

namespace renderer::generate {

namespace {

constexpr std::string_view kSubstitute = "kustomize.toolkit.fluxcd.io/substitute";

bool has_variable(const Value& value) {
    if (value.is_map()) {
        return std::ranges::any_of(value.members(), [](const Member& member) {
            return has_variable(member.key) || has_variable(member.value);
        });
    }
    if (value.is_list()) {
        return std::ranges::any_of(value.items(), has_variable);
    }
    return text_of(value).find("${") != std::string_view::npos;
}

}  // namespace

void keep_from_substitution(Value& object) {
    Value* metadata = object.find("metadata");
    if (metadata == nullptr || !has_variable(object)) {
        return;
    }
    Value* annotations = metadata->find("annotations");
    if (annotations == nullptr) {
        annotations = &metadata->add("annotations", Value::map());
    }
    if (annotations->find(kSubstitute) == nullptr) {
        annotations->add(Value::borrowed(kSubstitute), "disabled");
    }
}

}  // namespace renderer::generate
