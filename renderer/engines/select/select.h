// Decides which files are read: the bundles of a tree, their files, and for each file whether an
// applier would see it. A tree without fleet.yaml is one bundle; kustomizations are executed in
// both. Source: Fleet internal/bundlereader/loaddirectory.go, internal/helmdeployer/render/helm.go.
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

namespace renderer::engines {

struct SelectContext {
    const BuildContext build;
    const std::string& root;
    const repo::LoadOptions& options;
    const Cluster& cluster;
};

// Adds files that may be values, templates or helpers of charts, if `is_wanted(path, in_chart)`.
template <typename IsWanted>
void add_chart_files(const DirList& dirs, const IsWanted& is_wanted, Selection& selection) {
    for (const repo::WalkedDir* dir : dirs) {
        for (const std::string& name : dir->files) {
            const std::string path = repo::join_path(dir->path, name);
            const bool may_expose =
                dir->in_chart ? is_chart_text(name) : repo::is_manifest_name(name);
            if (may_expose && is_wanted(path, dir->in_chart)) {
                selection.chart_files.push_back({path, dir->in_chart, true});
            }
        }
    }
}

// Adds the files of a tree that has no fleet.yaml: manifests as they are, kustomizations
// executed.
void select_plain(const SelectContext& context, const DirList& dirs, std::uint32_t bundle);

// Adds the files that clusters apply, as objects of Flux and Argo CD define. Returns false, and
// adds nothing, if they apply none.
bool select_units(const SelectContext& context, const DirList& dirs, std::uint32_t bundle);

// Adds a Fleet bundle and its files. `dirs` has its directory and all below it, without nested
// bundles.
void select_fleet(const SelectContext& context, const FleetFile& fleet, const DirList& dirs);

}  // namespace renderer::engines
