// Entries of `generators`, `transformers` and `validators`: which of them kustomize executes by
// itself, and which take another program or a container. Source: kustomize
// api/internal/plugins/loader/loader.go, api/internal/target/kusttarget.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

// The documents of a text; one that cannot be read is Null, as is that of a text without any.
std::vector<Value> documents_of(std::string_view text);

// The plug-in as a message names it, its path or its kind; "" for one that kustomize executes by
// itself, and for a path that is not there. `entry` is a path seen from `dir`, or YAML.
std::string foreign_plug_in(const SourceTree& tree, KustomizationReader& reader,
                            const std::string& dir, std::string_view entry);

// Whether a plug-in, a file or YAML, has a chart that helm renders.
bool makes_charts(const SourceTree& tree, const std::string& dir, std::string_view entry);

}  // namespace renderer
