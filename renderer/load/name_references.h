// Rewrites references to generated Secrets and ConfigMaps whose names got a hash: in the fields
// that kustomize knows, in documents of the same build and namespace. Fields of custom resources
// are not among them, as in kustomize. Source: kustomize api/internal/konfig/builtinpluginconsts/
// namereference.go, api/filters/nameref.
#pragma once

#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// kustomize takes no namespace for "default".
inline std::string_view or_default(std::string_view ns) {
    return ns.empty() ? "default" : ns;
}

void rewrite_references(const std::vector<InputFile>& files,
                        const std::vector<std::uint32_t>& file_of, const Selection& selection,
                        Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
