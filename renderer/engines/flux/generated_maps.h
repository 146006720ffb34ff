// The ConfigMaps that kustomizations of a tree generate, for the variables of Flux. Each one is as
// its generator and the kustomization's namespace define it; other changes of a build are not
// applied. Secrets are never read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/flux/patched_maps.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// ConfigMaps by name, with and without the hash. A name has none if one of its generators is not
// fully known: it merges with another, or a file is missing or encrypted.
using GeneratedMaps = std::map<std::string, std::vector<Value>, std::less<>>;

// Generators may refer to files below `root`. What kustomizations change is added to `patched`.
GeneratedMaps generated_config_maps(const repo::SourceTree& tree, const DirList& dirs,
                                    const std::string& root, SourceMap& sources,
                                    PatchedMaps& patched);

}  // namespace renderer::engines
