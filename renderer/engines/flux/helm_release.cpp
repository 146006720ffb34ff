#include "renderer/engines/flux/helm_release.h"

#include <fmt/format.h>

#include "renderer/core/text_of.h"
#include "renderer/engines/helm/release_parts.h"
#include "renderer/engines/naming.h"

namespace renderer::engines {

namespace {

void add_release_values(const Value& object, ChartRelease& release) {
    for (const Value& one : items_of(object.at({"spec", "valuesFrom"}))) {
        release.values_from.push_back(
            {.name = std::string(text_of(one, {"name"})),
             .key = first_text({text_of(one, {"valuesKey"}), "values.yaml"}),
             .target = std::string(text_of(one, {"targetPath"})),
             .is_optional = spelling_of(one.find("optional")) == "true",
             .is_secret = text_of(one, {"kind"}) != "ConfigMap",
             .pos = one.pos()});
    }
    add_value_map(object.at({"spec", "values"}), release);
}

}  // namespace

void set_chart(const Value& spec, std::string_view ns, ChartRelease& release) {
    release.chart = text_of(spec, {"chart"});
    release.is_reference = false;
    const std::string_view kind = text_of(spec, {"sourceRef", "kind"});
    // Flux ignores the version of a chart whose source is not a HelmRepository.
    release.version = kind == "HelmRepository" ? text_of(spec, {"version"}) : std::string_view();
    release.address = {.chart = release.chart, .version = release.version};
    release.source_namespace = first_text({text_of(spec, {"sourceRef", "namespace"}), ns});
    const std::string_view source = text_of(spec, {"sourceRef", "name"});
    if (kind == "GitRepository") {
        release.source = source;
        release.is_packed_by_version = text_of(spec, {"reconcileStrategy"}) != "Revision";
    } else if (kind == "HelmRepository") {
        release.repository = source;
    }
    if (kind != "HelmRepository") {
        release.address.unknown = fmt::format("a chart of a {}", kind);
    }
    for (const Value& file : items_of(spec.find("valuesFiles"))) {
        release.values_files.push_back({std::string(text_of(file)), file.pos()});
        release.replaces_defaults = true;
    }
    const Value* may_miss = spec.find("ignoreMissingValuesFiles");
    release.may_lack_files = spelling_of(may_miss) == "true";
    release.needs_files = !release.may_lack_files;
}

ChartRelease release_of_helm_release(const Value& object, std::string_view ns) {
    ChartRelease release = start_release(object, ns);
    release.needs_files = true;
    const Value* chart = object.at({"spec", "chart", "spec"});
    if (chart != nullptr && !text_of(*chart, {"chart"}).empty()) {
        set_chart(*chart, ns, release);
    } else {
        release.chart = text_of(object, {"spec", "chartRef", "name"});
        release.is_reference = true;
        release.source_namespace =
            first_text({text_of(object, {"spec", "chartRef", "namespace"}), ns});
    }
    release.is_suspended = spelling_of(object.at({"spec", "suspend"})) == "true";
    const std::string_view target = text_of(object, {"spec", "targetNamespace"});
    release.ns = first_text({target, ns});
    release.name = text_of(object, {"spec", "releaseName"});
    if (release.name.empty()) {
        release.name = fmt::format("{}{}{}", target, target.empty() ? "" : "-",
                                   text_of(object, {"metadata", "name"}));
    }
    add_release_values(object, release);
    if (!items_of(object.at({"spec", "postRenderers"})).empty()) {
        release.unknown = "postRenderers";
    } else if (naming_tailscale(object.at({"spec", "commonMetadata"})).known()) {
        release.unknown = "commonMetadata";
    } else if (object.at({"spec", "kubeConfig"}) != nullptr) {
        release.unknown = "kubeConfig: another cluster";
    }
    return release;
}

}  // namespace renderer::engines
