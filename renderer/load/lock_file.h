// `tailrender.lock.yaml`: ports of ProxyGroups that must stay what they are, one line each:
//   egressPorts:
//     out/data/office-pg/5432/TCP: 10698
//   nodePorts:
//     edge/0: 30500
// A key is group/namespace/name/port/protocol or group/ordinal; where `.tailrender.yaml` names
// clusters the cluster comes before it. An input like any other: only `render --update-lock`
// writes it. Found in the directory that is rendered, else in a --context directory.
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// Fills loaded.locked_ports.
void load_lock(const SourceTree& tree, const LoadOptions& options, Loaded& loaded,
               Diagnostics& diagnostics);

}  // namespace renderer
