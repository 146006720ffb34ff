// Finds the changes of a kustomization that expose objects on the tailnet: patches, annotations for
// all objects, and replacements. Sources: kustomize api/types/{patch,replacement}.go and
// api/internal/builtins, RFC 6902, RFC 6901.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/kustomize/exposing_patch.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Reports an exposure that is not rendered. The caller adds the reason and a hint.
Finding refuse_exposure(const ExposingPatch& patch, Diagnostics& diagnostics);

// `dir`: the directory that paths in the kustomization are relative to. `kustomization`: a whole
// kustomization, or the part of one in an object of an engine, such as a HelmRelease. The texts of
// patch files are added to the sources.
std::vector<ExposingPatch> exposing_patches(const repo::SourceTree& tree, const std::string& dir,
                                            const Value& kustomization, SourceMap& sources);

}  // namespace renderer::engines
