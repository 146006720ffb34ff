// Chart values that Fleet computes from the labels of a cluster: `${ .ClusterLabels.x }`, and
// strings that begin with `global.fleet.clusterLabels.`. Source: Fleet
// internal/cmd/controller/target/builder.go (processTemplateValues, processLabelValues).
#pragma once

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/engines/cluster_config.h"

namespace renderer::engines {

// Replaces the expressions by the cluster's labels of .tailrender.yaml. A value that needs anything
// else is an error and is removed. `runs_templates`: false with helm.disablePreProcess.
void fill_cluster_templates(Value& values, const Cluster& cluster, bool runs_templates,
                            Diagnostics& diagnostics);

}  // namespace renderer::engines
