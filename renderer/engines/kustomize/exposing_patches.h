// What a kustomization does to objects, as far as it exposes them: its patches, annotations that
// all objects get, and replacements. Sources: kustomize api/types/{patch,replacement}.go and
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

namespace renderer {

// Whoever knows why it is not rendered adds that.
Finding refuse_exposure(const ExposingPatch& patch, Diagnostics& diagnostics);

// `dir`: where its files are named from; texts of these are added to the sources. `kustomization`:
// or a part of one, which an object of an engine holds.
std::vector<ExposingPatch> exposing_patches(const SourceTree& tree, const std::string& dir,
                                            const Value& kustomization, SourceMap& sources);

}  // namespace renderer
