// ResourceSets of the Flux Operator: the objects that it makes of templates and inputs. What
// depends on more than the set itself is not known. Source: controlplaneio-fluxcd/flux-operator
// docs/api/v1/resourceset.md, internal/builder/resourceset.go, internal/inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

bool is_resource_set(const Value& object);

// Why the operator leaves it as it is, "" when it does not.
std::string why_set_is_disabled(const Value& set);

struct MadeObjects {
    std::vector<Value> objects;  // places are those of the templates
    std::string unresolved;      // why there may be others; "" when there are none
};

MadeObjects expand_resource_set(const Value& set);

// The resources, or what they are made by, have the word.
bool resources_mention(const Value& set, std::string_view word);

}  // namespace renderer
