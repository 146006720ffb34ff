// Gives every document its namespace, which the bundle, a kustomization or flags set, as edits of
// the document's own bytes. Cluster-scoped objects get none; CustomResourceDefinitions among the
// inputs define which kinds of their group are cluster-scoped. Source: kustomize
// api/filters/namespace, Fleet helmdeployer.
#pragma once

#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

// Applies the rule of its file to each document. `file_of` is the index of each source's input
// file, kNone for others; InputFile::rule is an index into `rules`.
void apply_namespaces(const std::vector<engines::InputFile>& files,
                      const std::vector<std::uint32_t>& file_of,
                      const std::vector<engines::NamespaceRule>& rules, Loaded& loaded,
                      Diagnostics& diagnostics);

// Applies one rule to all documents.
void apply_namespaces(const engines::NamespaceRule& rule, Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
