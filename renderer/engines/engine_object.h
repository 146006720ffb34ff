// An object of Flux or Argo CD, as it is in its file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::engines {

struct EngineObject {
    std::string file;  // where it was read
    Value root;
    bool applied_itself = false;  // a Kustomization of its own directory, before a patch moved it
};

bool is_kind(const Value& object, std::string_view group, std::string_view kind);

// Returns the part with this name of a FluxInstance, or of the values of a chart that makes one; or
// nullptr.
const Value* instance_part(const Value& instance, std::string_view name);

// Returns the part "sync" of such an instance if it makes a GitRepository, or nullptr.
const Value* git_sync(const Value& instance);

// Returns the sources of an Application with a path in a repository, without charts.
std::vector<const Value*> sources_of(const Value& application);

}  // namespace renderer::engines
