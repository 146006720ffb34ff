#include "renderer/engines/argo/application_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "renderer/core/text_of.h"
#include "renderer/engines/argo/build_environment.h"
#include "renderer/engines/helm/release_parts.h"
#include "renderer/engines/helm/values_files.h"

namespace renderer::engines {

namespace {

// In Argo CD, the address of an OCI registry has no scheme.
std::string registry_of(std::string_view url) {
    const bool is_bare = !url.empty() && url.find("://") == std::string_view::npos;
    return fmt::format("{}{}", is_bare ? "oci://" : "", url);
}

// Argo CD escapes commas, except in a list.
std::string with_escaped_commas(std::string_view value) {
    std::string out;
    const bool is_list = value.starts_with('{') && value.ends_with('}');
    for (std::size_t i = 0; i < value.size(); ++i) {
        const bool is_escaped = i > 0 && value[i - 1] == '\\';
        if (value[i] == ',' && !is_list && !is_escaped) {
            out += '\\';
        }
        out += value[i];
    }
    return out;
}

// Argo CD fills in all of a path, except the name of a source in front.
std::string filled_path(std::string_view path, const BuildEnvironment& environment) {
    const bool has_ref =
        path.starts_with('$') && !path.starts_with("$ARGOCD_") && !path.starts_with("$KUBE_");
    const std::string_view ref = has_ref ? path.substr(0, path.find('/')) : std::string_view();
    return fmt::format("{}{}", ref, environment.fill(path.substr(ref.size())));
}

// Returns why a file is not one of the Application's repositories; "" if it is.
std::string why_elsewhere(const Value& application, std::string_view path, bool in_chart) {
    if (path.find("://") != std::string_view::npos) {
        return "an address, which is not fetched";
    }
    if (!path.starts_with('$')) {
        return in_chart ? std::string(kOfChart) : std::string();
    }
    const std::string_view ref = path.substr(1, path.find('/') - 1);
    const auto has_ref = [&](const Value* source) { return text_of(*source, {"ref"}) == ref; };
    return std::ranges::any_of(application_sources(application), has_ref)
               ? std::string()
               : fmt::format("no source of the Application has the ref \"{}\"", ref);
}

}  // namespace

std::vector<const Value*> application_sources(const Value& application) {
    if (const Value* hydrator = application.at({"spec", "sourceHydrator"});
        hydrator != nullptr && hydrator->is_map()) {
        const Value* dry = hydrator->find("drySource");
        return dry == nullptr ? std::vector<const Value*>() : std::vector<const Value*>{dry};
    }
    std::vector<const Value*> found;
    for (const Value& source : items_of(application.at({"spec", "sources"}))) {
        found.push_back(&source);
    }
    const Value* single = application.at({"spec", "source"});
    if (found.empty() && single != nullptr) {
        found.push_back(single);
    }
    return found;
}

std::string_view chart_of_source(const Value& source) {
    const std::string_view chart = text_of(source, {"chart"});
    const std::string_view path = text_of(source, {"path"});
    return chart.empty() && is_path_to_operator(path) ? path : chart;
}

ChartRelease chart_release_of_source(const Value& application, std::string_view ns,
                                     const Value& source, SourceMap& sources) {
    ChartRelease release = start_release(application, ns);
    release.chart = chart_of_source(source);
    release.version = text_of(source, {"targetRevision"});
    release.address = chart_address(registry_of(text_of(source, {"repoURL"})), release);
    if (release.chart.empty()) {
        release.address.unknown = "a path in a Git repository";
    }
    release.name = first_text(
        {text_of(source, {"helm", "releaseName"}), text_of(application, {"metadata", "name"})});
    release.ns = first_text({text_of(source, {"helm", "namespace"}),
                             text_of(application, {"spec", "destination", "namespace"})});
    const BuildEnvironment environment(application, source);
    for (const Value& one : items_of(source.at({"helm", "fileParameters"}))) {
        const std::string path = filled_path(text_of(one, {"path"}), environment);
        release.text_files.push_back(
            {.target = std::string(text_of(one, {"name"})), .path = path, .pos = one.pos()});
        if (path.find('$') != std::string::npos) {
            release.unknown = "fileParameters of another source";
        }
    }
    for (const Value& file : items_of(source.at({"helm", "valueFiles"}))) {
        release.values_files.push_back({filled_path(text_of(file), environment), file.pos()});
        ValuesFile& added = release.values_files.back();
        if (!release.chart.empty() && !added.path.starts_with('$')) {
            release.unknown = "valueFiles of a chart that is not in the tree";
        }
        added.elsewhere = why_elsewhere(application, added.path, !release.chart.empty());
    }
    const Value* may_miss = source.at({"helm", "ignoreMissingValueFiles"});
    release.may_lack_files = spelling_of(may_miss) == "true";
    release.needs_files = !release.may_lack_files;
    const Value* object = source.at({"helm", "valuesObject"});
    if (object == nullptr) {
        add_value_text(source.at({"helm", "values"}), sources, release);
    }
    add_value_map(object, release);
    for (const Value& one : items_of(source.at({"helm", "parameters"}))) {
        const std::string_view name = text_of(one, {"name"});
        const std::string value = environment.fill(spelling_of(one.find("value")));
        if (spelling_of(one.find("forceString")) == "true") {
            add_text_set(name, value, sources, release.values);
        } else {
            add_value_sets({fmt::format("{}={}", name, with_escaped_commas(value))}, one.pos(),
                           sources, release);
        }
    }
    return release;
}

}  // namespace renderer::engines
