// The two kinds of trees behind select.h: a plain one and a Fleet bundle. Private to selection.
#pragma once

#include <string>
#include <vector>

#include "renderer/load/fleet/fleet_bundle.h"
#include "renderer/load/fleet/fleet_files.h"
#include "renderer/load/kustomize/kustomization.h"
#include "renderer/load/select.h"
#include "renderer/load/walk.h"

namespace renderer {

struct SelectContext {
    const BuildContext build;
    const SelectOptions& options;
    const Cluster& cluster;
};

// Adds the files of a tree that has no fleet.yaml: manifests as they are, kustomizations
// executed.
void select_plain(const SelectContext& context, const DirList& dirs, std::uint32_t bundle);

// Adds a Fleet bundle and its files. `dirs`: its directory and all below, nested bundles left out.
void select_fleet(const SelectContext& context, const FleetFile& fleet, const DirList& dirs);

}  // namespace renderer
