// Finds exposures that a chart makes only if its cluster answers a question in a certain way.
// `helm template` does not ask a cluster, so the answer is not known. Source:
// https://helm.sh/docs/chart_template_guide/functions_and_pipelines/ (lookup),
// https://helm.sh/docs/chart_template_guide/builtin_objects/ (Release, Capabilities).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "renderer/engines/helm/chart_source.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// Returns the template and the question, "templates/web.yaml: lookup", of the first template that
// `matters`, has exposing lines, and made no object that `matters` in `output` of `helm template`.
// With `is_template_only`, the engine runs `helm template` as well, with the API versions of the
// cluster.
std::optional<std::string> find_cluster_condition(const ChartSource& chart, std::string_view output,
                                                  const repo::TextTest& matters,
                                                  bool is_template_only);

}  // namespace renderer::engines
