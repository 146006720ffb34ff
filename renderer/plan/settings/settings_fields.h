// The tables of the keys that values may have: the chart's and, below `tailrender`, ours. What is
// decoded is checked by them, and `tailrender schema values` prints them. Source of the chart's
// keys: tailscale v1.96.5 cmd/k8s-operator/deploy/chart/values.yaml.
#pragma once

#include "renderer/repo/closed_schema.h"

namespace renderer::plan {

repo::Schema chart_fields();
repo::Schema our_fields();

}  // namespace renderer::plan
