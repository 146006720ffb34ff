// What a build says about objects that are not in it: of a chart or a remote resource that is left
// out. Where it exposes them, devices would be missing silently.
#pragma once

#include <string>
#include <vector>

#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/kustomize/left_out.h"

namespace renderer {

struct PatchedBuild {
    const SourceTree& tree;  // with what was put in place of charts, and the changes
    KustomizationReader& reader;
    KustomizationReader& places;  // of the files as the user has them
    const Value* changes;         // that an engine makes to the kustomization of `dir`; may be none
    const std::string& dir;
};

struct UnbuiltExposure {
    ExposingPatch patch;
    LeftOut what;  // the first of those that it may be for
};

struct PatchesOfBuild {
    std::vector<UnbuiltExposure> unbuilt;  // in no certain order
    std::vector<ExposingPatch> applied;    // that kustomize executes
};

// Texts of patches are added to the sources.
PatchesOfBuild patches_of_build(const PatchedBuild& build, SourceMap& sources);

}  // namespace renderer
