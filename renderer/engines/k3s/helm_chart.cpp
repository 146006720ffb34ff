#include "renderer/engines/k3s/helm_chart.h"

#include <fmt/format.h>

#include "renderer/base/base64.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/helm/release_parts.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/engines/manifest_files.h"

namespace renderer::engines {

namespace {

// The k3s controller ignores a chart with this annotation, whatever its value.
constexpr std::string_view kUnmanaged = "helmcharts.helm.cattle.io/unmanaged";

// The values of a Secret are above the inline values and below `set`.
void note_values_secret(ChartRelease& release, const Value& secret) {
    const std::string_view name = text_of(secret, {"name"});
    release.unread.push_back({.kind = Unread::Secret,
                              .below = release.values.size(),
                              .name = std::string(name),
                              .diagnostic = {.pos = secret.pos(),
                                             .object = release.object,
                                             .found = fmt::format("Secret {}", name)}});
}

}  // namespace

std::optional<ChartRelease> release_of_helm_chart(const Value& object, std::string_view ns,
                                                  SourceMap& sources, const Value* config) {
    if (object.at({"metadata", "annotations", kUnmanaged}) != nullptr) {
        return std::nullopt;
    }
    ChartRelease release = start_release(object, ns);
    release.chart = text_of(object, {"spec", "chart"});
    release.version = text_of(object, {"spec", "version"});
    release.ns = first_text({text_of(object, {"spec", "targetNamespace"}), ns});
    release.name = text_of(object, {"metadata", "name"});
    release.address = chart_address(text_of(object, {"spec", "repo"}), release);
    if (const std::string_view content = text_of(object, {"spec", "chartContent"});
        !content.empty()) {
        if (release.chart.empty()) {
            release.chart = release.name;
        }
        release.archive = decode_base64(content).value_or("");
        if (release.archive.empty()) {
            release.unknown = "chartContent that is not base64";
        }
    }
    for (const Value* one : {&object, config}) {
        if (one != nullptr) {
            add_value_text(one->at({"spec", "valuesContent"}), sources, release);
            add_value_map(one->at({"spec", "values"}), release);
        }
    }
    for (const Value* one : {&object, config}) {
        for (const Value& secret :
             items_of(one == nullptr ? nullptr : one->at({"spec", "valuesSecrets"}))) {
            note_values_secret(release, secret);
        }
    }
    for (const Member& member : members_of(object.at({"spec", "set"}))) {
        if (member.value.is_string()) {
            add_text_set(member.name(), member.value.text(), sources, release.values);
        } else {
            add_value_sets({fmt::format("{}={}", member.name(), spelling_of(member.value))},
                           member.key.pos(), sources, release);
        }
    }
    return release;
}

std::string instance_path_of(const Value& chart) {
    const std::string_view values = text_of(chart, {"spec", "valuesContent"});
    if (!text_of(chart, {"apiVersion"}).starts_with(kHelmOfK3s) || values.empty()) {
        return {};
    }
    return std::string(text_of(read_text(values), {"instance", "sync", "path"}));
}

}  // namespace renderer::engines
