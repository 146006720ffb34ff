// Rewrites references to generated Secrets and ConfigMaps whose names got a hash. Like kustomize,
// it rewrites the reference fields of built-in kinds, in documents of the same build and namespace,
// but no fields of custom resources. Source: kustomize
// api/internal/konfig/builtinpluginconsts/namereference.go, api/filters/nameref.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// kustomize treats an empty namespace as "default".
inline std::string_view or_default(std::string_view ns) {
    return ns.empty() ? "default" : ns;
}

// Returns the document's namespace during the build of its file, before that of the engine.
std::string_view build_namespace(const engines::Selection& selection,
                                 const engines::InputFile& file, const Document& document);

void rewrite_references(const std::vector<engines::InputFile>& files,
                        const std::vector<std::uint32_t>& file_of,
                        const engines::Selection& selection, Loaded& loaded,
                        Diagnostics& diagnostics);

}  // namespace renderer::load
