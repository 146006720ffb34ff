// ResourceSets of the Flux Operator: the objects that it generates from templates and inputs.
// Objects that depend on more than the set and Static input providers are not known. Source:
// controlplaneio-fluxcd/flux-operator docs/api/v1/resourceset.md, resourcesetinputprovider.md,
// internal/builder/resourceset.go, internal/inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::engines {

bool is_resource_set(const Value& object);
bool is_input_provider(const Value& object);

// Returns why the operator does not reconcile the set, "" if it does.
std::string why_set_is_disabled(const Value& set);

struct MadeObjects {
    std::vector<Value> objects;           // their positions are those of the templates
    std::string unresolved;               // why there may be others; "" if there are not
    std::vector<const Value*> providers;  // those from which the set takes inputs
};

// `providers`: the ResourceSetInputProviders that are known.
MadeObjects expand_resource_set(const Value& set, const std::vector<const Value*>& providers);

// True if the resources of the set, or the templates for them, contain the word.
bool resources_mention(const Value& set, std::string_view word);

}  // namespace renderer::engines
