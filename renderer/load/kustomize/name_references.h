// Rewrites references to generated Secrets and ConfigMaps whose names got a hash: in the fields
// that kustomize knows, in documents of the same build and namespace. Fields of custom resources
// are not among them, as in kustomize. Source: kustomize api/internal/konfig/builtinpluginconsts/
// namereference.go, api/filters/nameref.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/inputs.h"

namespace renderer {

void rewrite_references(const std::vector<InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, const Selection& selection,
                        Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
