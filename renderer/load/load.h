// Stage 1: options -> everything that was read. The only stage that opens files. It reads directory
// trees, streams, Fleet bundles, kustomizations, values files and OAuth env files; it decides where
// documents begin and end, which bundle they belong to, which namespace they get and whether an
// applier would see them. The meaning of a document is up to classify. Sources of the rules: Fleet
// internal/bundlereader and schemas/fleet.yaml.json; kustomize api/kv, api/hasher.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::load {

Loaded load(repo::LoadOptions options, Diagnostics& diagnostics);

// Does the same over any tree, so that tests need no disk.
Loaded load_tree(const repo::SourceTree& tree, repo::LoadOptions options, Diagnostics& diagnostics);

// Returns the clusters that `.tailrender.yaml` lists, in its order. Returns none if the file does
// not exist or cannot be read; `load` reports the error.
std::vector<std::string> cluster_names(const repo::LoadOptions& options);

}  // namespace renderer::load
