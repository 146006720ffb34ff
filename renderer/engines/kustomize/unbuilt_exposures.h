// Finds the patches of a build for objects that are not in it: those of a chart or a remote
// resource that is left out. If such a patch exposes an object, its device would be missing without
// a message.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/kustomize/left_out.h"

namespace renderer::engines {

struct PatchedBuild {
    const repo::SourceTree& tree;  // with the output of charts, and the changes
    KustomizationReader& reader;
    KustomizationReader& places;  // of the user's files, for positions
    const Value* changes;         // an engine's changes to the kustomization of `dir`; may be null
    const std::string& dir;
};

struct UnbuiltExposure {
    ExposingPatch patch;
    LeftOut what;  // the first part that may hold its object
};

struct PatchesOfBuild {
    std::vector<UnbuiltExposure> unbuilt;  // unordered
    std::vector<ExposingPatch> applied;    // kustomize executes them
};

// Adds the texts of patch files to the sources.
PatchesOfBuild patches_of_build(const PatchedBuild& build, SourceMap& sources);

}  // namespace renderer::engines
