// Decides what is read: the bundles of a tree, their files, and for each file whether an applier
// would see it. A tree without fleet.yaml is one bundle; kustomizations are executed in both.
// Source: Fleet internal/bundlereader/loaddirectory.go, internal/helmdeployer/render/helm.go.
#pragma once

#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/load/inputs.h"
#include "renderer/load/tree/source_tree.h"
#include "renderer/load/values/cluster_config.h"

namespace renderer {

struct SelectOptions {
    std::string root;               // directory or file
    std::string output_dir;         // -o
    std::string default_namespace;  // --namespace
};

Selection select_inputs(const SourceTree& tree, const SelectOptions& options,
                        const Cluster& cluster, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer
