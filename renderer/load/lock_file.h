// `tailrender.lock.yaml` pins ports of ProxyGroups, one per line:
//   egressPorts:
//     out/data/office-pg/5432/TCP: 10698
//   nodePorts:
//     edge/0: 30500
// A key is group/namespace/name/port/protocol or group/ordinal; if `.tailrender.yaml` names
// clusters, the cluster comes first. The file is part of the input, and only `render --update-lock`
// writes it. It is looked for in the rendered directory, then in the --context directories.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// Fills loaded.locked_ports.
void load_lock(const repo::SourceTree& tree, const repo::LoadOptions& options, Loaded& loaded,
               Diagnostics& diagnostics);

}  // namespace renderer::load
