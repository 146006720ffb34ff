// Gives every document its namespace: what bundle, kustomization and flags say, as edits of the
// document's own bytes. Cluster-scoped objects get none; a CustomResourceDefinition among the
// inputs says which kinds of its group are. Source: kustomize api/filters/namespace, Fleet
// helmdeployer.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer {

// `file_of`: input file of each source, kNone for others. `rules` are those of the files.
void apply_namespaces(const std::vector<InputFile>& files,
                      const std::vector<std::uint32_t>& file_of,
                      const std::vector<NamespaceRule>& rules, Loaded& loaded,
                      Diagnostics& diagnostics);

// The same rule for all documents.
void apply_namespaces(const NamespaceRule& rule, Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
