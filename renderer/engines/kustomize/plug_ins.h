// Finds out which entries of `generators`, `transformers` and `validators` kustomize executes by
// itself, and which need another program or a container. Source: kustomize
// api/internal/plugins/loader/loader.go, api/internal/target/kusttarget.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

// Returns the documents of a text. A document that cannot be read is Null. A text without documents
// has one that is Null.
std::vector<Value> documents_of(std::string_view text);

// Returns the path or the kind of a plug-in that kustomize does not execute by itself. Returns ""
// for other plug-ins and for a path that does not exist. `entry` is a path relative to `dir`, or
// YAML.
std::string foreign_plug_in(const repo::SourceTree& tree, KustomizationReader& reader,
                            const std::string& dir, std::string_view entry);

// Returns true if a plug-in, a file or YAML, has a chart that helm renders.
bool makes_charts(const repo::SourceTree& tree, const std::string& dir, std::string_view entry);

}  // namespace renderer::engines
