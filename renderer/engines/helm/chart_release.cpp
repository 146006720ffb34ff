#include "renderer/engines/helm/chart_release.h"

#include <fmt/format.h>

#include "renderer/repo/paths.h"

namespace renderer::engines {

ChartRelease ChartRelease::clone() const {
    ChartRelease copy{.pos = pos,
                      .object = object,
                      .object_ns = object_ns,
                      .name = name,
                      .chart = chart,
                      .is_reference = is_reference,
                      .dir = dir,
                      .archive = archive,
                      .address = address,
                      .source = source,
                      .repository = repository,
                      .source_namespace = source_namespace,
                      .version = version,
                      .ns = ns,
                      .values = {},
                      .values_from = values_from,
                      .values_files = values_files,
                      .later_files = later_files,
                      .text_files = text_files,
                      .files_dir = files_dir,
                      .needs_files = needs_files,
                      .may_lack_files = may_lack_files,
                      .is_operator = is_operator,
                      .unread = unread,
                      .warnings = warnings,
                      .replaces_defaults = replaces_defaults,
                      .with_crds = with_crds,
                      .with_hooks = with_hooks,
                      .is_suspended = is_suspended,
                      .unit = unit,
                      .kept = kept,
                      .unknown = unknown};
    for (const Value& layer : values) {
        copy.values.push_back(layer.clone());
    }
    return copy;
}

bool is_operator_chart(std::string_view chart) {
    while (chart.ends_with('/')) {
        chart.remove_suffix(1);
    }
    chart = repo::base_name(chart);
    return chart == kOperatorChart ||
           (chart.ends_with(".tgz") && chart.starts_with(fmt::format("{}-", kOperatorChart)));
}

}  // namespace renderer::engines
