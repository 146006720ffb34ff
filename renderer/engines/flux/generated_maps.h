// The ConfigMaps that kustomizations of a tree make, for the variables of Flux. Each is as its
// generator says it: what a build does to it besides is not asked. Secrets are never read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// By name, without the hash and with it. A name has none when not all that is said about it can be
// known: one that changes another, a file that is not there or encrypted.
using GeneratedMaps = std::map<std::string, std::vector<Value>, std::less<>>;

// `root`: generators may name files below it.
GeneratedMaps generated_config_maps(const SourceTree& tree, const DirList& dirs,
                                    const std::string& root, SourceMap& sources);

}  // namespace renderer
