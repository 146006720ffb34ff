// Stage 1: options -> everything that was read. The only stage that opens files. It knows directory
// trees, streams, Fleet bundles, kustomizations, values files and OAuth env files; it decides where
// documents begin and end, which bundle they belong to, in which namespace they land and whether an
// applier would see them. What a document *means* is classify's business. Sources of the rules:
// Fleet internal/bundlereader and schemas/fleet.yaml.json; kustomize api/kv, api/hasher.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer {

Loaded load(LoadOptions options, Diagnostics& diagnostics);

// The same over any tree, so that tests need no disk.
Loaded load_tree(const SourceTree& tree, LoadOptions options, Diagnostics& diagnostics);

// The tree that the options name, or the disk.
std::shared_ptr<const SourceTree> source_tree(const LoadOptions& options);

// The clusters that `.tailrender.yaml` lists, in its order; none without the file, or when it
// cannot be read: `load` says why.
std::vector<std::string> cluster_names(const LoadOptions& options);

}  // namespace renderer
