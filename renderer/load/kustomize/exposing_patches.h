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
#include "renderer/load/charts/exposing_values.h"
#include "renderer/load/tree/source_tree.h"

namespace renderer {

struct ExposingPatch {
    Pos pos = {};                            // in the file of the patch, else of the entry
    std::vector<ExposingValue> values = {};  // that it gives, at least one
    std::string kind = {}, name = {};  // of what it is for, regular expressions; "" = anything
    bool is_for_one = false;           // object, of this kind and name
    std::string build = {};            // "kustomize build app", where someone executes it

    [[nodiscard]] bool is_public() const;
    // "spec.ingressClassName: tailscale, and 1 more, for Ingress/web"
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_for(std::string_view kind_of, std::string_view name_of) const;
};

// Whoever knows why it is not rendered adds that.
Finding refuse_exposure(const ExposingPatch& patch, Diagnostics& diagnostics);

// `dir`: where its files are named from; texts of these are added to the sources. `kustomization`:
// or a part of one, which an object of an engine holds.
std::vector<ExposingPatch> exposing_patches(const SourceTree& tree, const std::string& dir,
                                            const Value& kustomization, SourceMap& sources);

}  // namespace renderer
