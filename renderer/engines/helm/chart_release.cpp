#include "renderer/engines/helm/chart_release.h"

#include <fmt/format.h>

#include "renderer/engines/engine_fields.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// The chart in Tailscale's own repository, as in tailscale v1.98.9.
constexpr std::string_view kChartInRepository = "cmd/k8s-operator/deploy/chart";

}  // namespace

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

bool is_path_to_operator(std::string_view path) {
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    return path.ends_with(kChartInRepository);
}

bool is_operator_chart(std::string_view chart) {
    while (chart.ends_with('/')) {
        chart.remove_suffix(1);
    }
    if (is_path_to_operator(chart)) {
        return true;
    }
    chart = repo::base_name(chart);
    return chart == kOperatorChart ||
           (chart.ends_with(".tgz") && chart.starts_with(fmt::format("{}-", kOperatorChart)));
}

bool is_mistyped_operator_chart(std::string_view chart) {
    return is_typo_of(repo::base_name(chart), kOperatorChart);
}

Finding refuse_mistyped_chart(std::string_view chart, Pos pos, Diagnostics& diagnostics) {
    return diagnostics.error("unknown-chart", pos, "there is no chart of this name")
        .found(fmt::format("\"{}\"", repo::base_name(chart)))
        .expected(fmt::format("\"{}\", the operator's chart, or another name", kOperatorChart))
        .hint(did_you_mean(kOperatorChart));
}

}  // namespace renderer::engines
