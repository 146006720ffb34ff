// Decides what is read: the bundles of a tree, their files, and for each file whether an applier
// would see it. A tree without fleet.yaml is one bundle; kustomizations are executed in both.
// Source: Fleet internal/bundlereader/loaddirectory.go, internal/helmdeployer/render/helm.go.
#pragma once

#include <string>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/fleet/fleet_bundle.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/selection.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

// `root`: directory or file, a normal path. Of the options only output_dir and default_namespace
// are asked.
Selection select_inputs(const SourceTree& tree, const std::string& root, const LoadOptions& options,
                        const Cluster& cluster, SourceMap& sources, Diagnostics& diagnostics);

// ---- The two kinds of trees behind it, private to selection.

struct SelectContext {
    const BuildContext build;
    const std::string& root;
    const LoadOptions& options;
    const Cluster& cluster;
};

// Adds the files that charts may be made of, where `is_wanted(path, in_chart)`.
template <typename IsWanted>
void add_chart_files(const DirList& dirs, const IsWanted& is_wanted, Selection& selection) {
    for (const WalkedDir* dir : dirs) {
        for (const std::string& name : dir->files) {
            const std::string path = join_path(dir->path, name);
            if (is_manifest_name(name) && is_wanted(path, dir->in_chart)) {
                selection.chart_files.push_back({path, dir->in_chart, true});
            }
        }
    }
}

// Adds the files of a tree that has no fleet.yaml: manifests as they are, kustomizations
// executed.
void select_plain(const SelectContext& context, const DirList& dirs, std::uint32_t bundle);

// Adds what clusters apply of it, as objects of Flux and Argo CD say. False: they apply nothing,
// and nothing was added.
bool select_units(const SelectContext& context, const DirList& dirs, std::uint32_t bundle);

// Adds a Fleet bundle and its files. `dirs`: its directory and all below, nested bundles left out.
void select_fleet(const SelectContext& context, const FleetFile& fleet, const DirList& dirs);

}  // namespace renderer
