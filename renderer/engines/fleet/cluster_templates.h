// Values of a chart that Fleet makes of the labels of a cluster: `${ .ClusterLabels.x }`, and texts
// that begin with `global.fleet.clusterLabels.`. Source: Fleet
// internal/cmd/controller/target/builder.go (processTemplateValues, processLabelValues).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/engines/cluster_config.h"

namespace renderer {

// Puts labels that .tailrender.yaml gives the cluster in their place. What needs more than these is
// an error, and is taken away. `runs_templates`: false with helm.disablePreProcess.
void fill_cluster_templates(Value& values, const Cluster& cluster, bool runs_templates,
                            Diagnostics& diagnostics);

}  // namespace renderer
