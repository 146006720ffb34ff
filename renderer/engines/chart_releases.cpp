#include "renderer/engines/chart_releases.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/core/word_at.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/helm_release.h"
#include "renderer/engines/k3s/helm_chart.h"

namespace renderer::engines {

namespace {

// Makes texts of the words that only YAML 1.1 takes for booleans, such as `no`: Flux passes objects
// through kustomize, which quotes them.
void spell_words(const SourceMap& sources, Value& value) {
    constexpr auto kWords = std::to_array<std::string_view>({"y", "n", "yes", "no", "on", "off"});
    if (value.is_list()) {
        for (Value& item : value.items()) {
            spell_words(sources, item);
        }
    } else if (value.is_map()) {
        for (Member& member : value.members()) {
            spell_words(sources, member.value);
        }
    } else if (const Pos pos = value.pos(); value.is_bool() && pos.known()) {
        const std::string_view word = word_at(sources, pos);
        if (std::ranges::find(kWords, lower_case(word)) != kWords.end()) {
            value = Value(word);
            value.set_pos(pos);
        }
    }
}

std::vector<ChartRelease> releases_of(const Value& object, std::string_view ns, SourceMap& sources,
                                      const Value* config) {
    const std::string_view version = text_of(object, {"apiVersion"});
    const std::string_view kind = text_of(object, {"kind"});
    std::vector<ChartRelease> found;
    if (version.starts_with("helm.toolkit.fluxcd.io/") && kind == "HelmRelease") {
        found.push_back(release_of_helm_release(object, ns));
    } else if (version.starts_with(kHelmOfK3s) && kind == "HelmChart") {
        std::optional<ChartRelease> release = release_of_helm_chart(object, ns, sources, config);
        if (release) {
            found.push_back(std::move(*release));
        }
    } else if (version.starts_with("argoproj.io/") && kind == "Application") {
        for (const Value* source : application_sources(object)) {
            found.push_back(chart_release_of_source(object, ns, *source, sources));
        }
    }
    std::erase_if(found, [](const ChartRelease& one) { return one.chart.empty(); });
    return found;
}

}  // namespace

std::vector<ChartRelease> chart_releases(const Value& object, std::string_view ns,
                                         SourceMap& sources, const Value* config) {
    std::vector<ChartRelease> found = releases_of(object, ns, sources, config);
    if (text_of(object, {"kind"}) == "HelmRelease") {
        for (ChartRelease& release : found) {
            for (Value& values : release.values) {
                spell_words(sources, values);
            }
        }
    }
    return found;
}

bool installs_operator(const Value& object) {
    SourceMap not_of_object;
    return installs_operator(releases_of(object, {}, not_of_object, nullptr));
}

bool installs_operator(const std::vector<ChartRelease>& releases) {
    return std::ranges::any_of(
        releases, [](const ChartRelease& release) { return is_operator_chart(release.chart); });
}

}  // namespace renderer::engines
