#include "renderer/engines/helm/chart_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/repo/paths.h"

namespace renderer {

namespace {

// The k3s controller ignores a chart with this annotation, whatever its value.
constexpr std::string_view kUnmanaged = "helmcharts.helm.cattle.io/unmanaged";

std::string first_of(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) {
        if (!text.empty()) {
            return std::string(text);
        }
    }
    return {};
}

ChartAddress address_of(std::string_view repository, const ChartRelease& release) {
    return {
        .repository = std::string(repository), .chart = release.chart, .version = release.version};
}

// In Argo CD, the address of an OCI registry has no scheme.
std::string registry_of(std::string_view url) {
    const bool is_bare = !url.empty() && url.find("://") == std::string_view::npos;
    return fmt::format("{}{}", is_bare ? "oci://" : "", url);
}

void add_map(const Value* values, std::vector<Value>& layers) {
    if (values != nullptr && values->is_map()) {
        layers.push_back(values->clone());
    }
}

class Reader {
public:
    Reader(const Value& object, std::string_view ns, SourceMap& sources, const Value* config)
        : object_(object), ns_(ns), sources_(sources), config_(config) {}

    ChartRelease run(const Value& source) {
        argo_source(source);
        return std::move(found_.front());
    }

    std::vector<ChartRelease> run() {
        const std::string_view version = text_of(object_, {"apiVersion"});
        const std::string_view kind = text_of(object_, {"kind"});
        if (version.starts_with("helm.toolkit.fluxcd.io/") && kind == "HelmRelease") {
            flux();
        } else if (version.starts_with("helm.cattle.io/") && kind == "HelmChart") {
            k3s();
        } else if (version.starts_with("argoproj.io/") && kind == "Application") {
            argo();
        }
        std::erase_if(found_, [](const ChartRelease& one) { return one.chart.empty(); });
        return std::move(found_);
    }

private:
    std::string_view at(std::initializer_list<std::string_view> path) const {
        return text_of(object_, path);
    }

    ChartRelease& start() {
        ChartRelease& release = found_.emplace_back();
        const Value* kind = object_.find("kind");
        release.pos = kind == nullptr ? object_.pos() : kind->pos();
        release.object = object_name(at({"kind"}), ns_, at({"metadata", "name"}));
        return release;
    }

    void add_text(ChartRelease& release, const Value* text) {
        if (text_of(text).empty()) {
            return;
        }
        Diagnostics said;
        const Value values =
            read_values_text(*text, fmt::format("values of {}", release.object), sources_, said);
        note_said(said, release.object, release.values.size(), release.unread, release.warnings);
        add_map(&values, release.values);
    }

    void flux() {
        ChartRelease& release = start();
        release.chart =
            first_of({at({"spec", "chart", "spec", "chart"}), at({"spec", "chartRef", "name"})});
        release.is_reference = at({"spec", "chart", "spec", "chart"}).empty();
        const std::string_view kind = at({"spec", "chart", "spec", "sourceRef", "kind"});
        const std::string_view source = at({"spec", "chart", "spec", "sourceRef", "name"});
        release.source_namespace =
            first_of({at({"spec", "chartRef", "namespace"}),
                      at({"spec", "chart", "spec", "sourceRef", "namespace"}), ns_});
        release.version = at({"spec", "chart", "spec", "version"});
        release.address = {.chart = release.chart, .version = release.version};
        release.is_suspended = spelling_of(object_.at({"spec", "suspend"})) == "true";
        const std::string_view target = at({"spec", "targetNamespace"});
        release.ns = first_of({target, ns_});
        release.name = at({"spec", "releaseName"});
        if (release.name.empty()) {
            release.name =
                fmt::format("{}{}{}", target, target.empty() ? "" : "-", at({"metadata", "name"}));
        }
        if (kind == "GitRepository") {
            release.source = source;
        } else if (kind == "HelmRepository") {
            release.repository = source;
        }
        if (!release.is_reference && kind != "HelmRepository") {
            release.address.unknown = fmt::format("a chart of a {}", kind);
        }
        flux_values(release);
        for (const Value& file : items_of(object_.at({"spec", "chart", "spec", "valuesFiles"}))) {
            release.values_files.push_back({std::string(text_of(file)), file.pos()});
            release.replaces_defaults = true;
        }
        const Value* may_miss = object_.at({"spec", "chart", "spec", "ignoreMissingValuesFiles"});
        release.may_lack_files = spelling_of(may_miss) == "true";
        release.needs_files = !release.may_lack_files;
        if (!items_of(object_.at({"spec", "postRenderers"})).empty()) {
            release.unknown = "postRenderers";
        } else if (object_.at({"spec", "kubeConfig"}) != nullptr) {
            release.unknown = "kubeConfig: another cluster";
        }
    }

    void flux_values(ChartRelease& release) {
        for (const Value& one : items_of(object_.at({"spec", "valuesFrom"}))) {
            release.values_from.push_back(
                {.name = std::string(text_of(one, {"name"})),
                 .key = first_of({text_of(one, {"valuesKey"}), "values.yaml"}),
                 .target = std::string(text_of(one, {"targetPath"})),
                 .is_optional = spelling_of(one.find("optional")) == "true",
                 .is_secret = text_of(one, {"kind"}) != "ConfigMap",
                 .pos = one.pos()});
        }
        add_map(object_.at({"spec", "values"}), release.values);
    }

    void k3s() {
        if (object_.at({"metadata", "annotations", kUnmanaged}) != nullptr) {
            return;
        }
        ChartRelease& release = start();
        release.chart = at({"spec", "chart"});
        release.version = at({"spec", "version"});
        release.ns = first_of({at({"spec", "targetNamespace"}), ns_});
        release.name = at({"metadata", "name"});
        release.address = address_of(at({"spec", "repo"}), release);
        if (const std::string_view content = at({"spec", "chartContent"}); !content.empty()) {
            if (release.chart.empty()) {
                release.chart = release.name;
            }
            release.archive = decode_base64(content).value_or("");
            if (release.archive.empty()) {
                release.unknown = "chartContent that is no base64";
            }
        }
        for (const Value* object : {&object_, config_}) {
            if (object != nullptr) {
                add_text(release, object->at({"spec", "valuesContent"}));
                add_map(object->at({"spec", "values"}), release.values);
            }
        }
        for (const Value* object : {&object_, config_}) {
            for (const Value& secret :
                 items_of(object == nullptr ? nullptr : object->at({"spec", "valuesSecrets"}))) {
                note_secret(release, secret);
            }
        }
        for (const Member& member : members_of(object_.at({"spec", "set"}))) {
            if (member.value.is_string()) {
                add_text_set(member.name(), member.value.text(), sources_, release.values);
            } else {
                add_sets(release, {fmt::format("{}={}", member.name(), spelling_of(member.value))},
                         member.key.pos());
            }
        }
    }

    // k3s: the values of a Secret are above the inline values and below `set`.
    static void note_secret(ChartRelease& release, const Value& secret) {
        const std::string_view name = text_of(secret, {"name"});
        release.unread.push_back({.kind = Unread::Secret,
                                  .below = release.values.size(),
                                  .name = std::string(name),
                                  .diagnostic = {.pos = secret.pos(),
                                                 .object = release.object,
                                                 .found = fmt::format("Secret {}", name)}});
    }

    void add_sets(ChartRelease& release, const std::vector<std::string>& sets, Pos pos) {
        Diagnostics said;
        const std::size_t below = release.values.size();
        renderer::add_sets(sets, sources_, release.values, said);
        if (said.has_errors()) {
            release.unread.push_back(
                {.kind = Unread::Refused,
                 .below = below,
                 .diagnostic = {.rule = "invalid-set",
                                .pos = pos,
                                .object = release.object,
                                .message = "helm refuses this value of the operator's chart",
                                .found = said.all().front().message,
                                .expected = "the path of a key, and its value",
                                .hint = "correct it, or give the values with --values FILE"}});
        }
    }

    // Argo CD escapes commas, except in a list.
    static std::string with_escaped_commas(std::string_view value) {
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

    void argo() {
        for (const Value* source : application_sources(object_)) {
            argo_source(*source);
        }
    }

    void argo_source(const Value& source) {
        ChartRelease& release = start();
        release.chart = text_of(source, {"chart"});
        release.version = text_of(source, {"targetRevision"});
        release.address = address_of(registry_of(text_of(source, {"repoURL"})), release);
        if (release.chart.empty()) {
            release.address.unknown = "a path in a Git repository";
        }
        release.name =
            first_of({text_of(source, {"helm", "releaseName"}), at({"metadata", "name"})});
        release.ns = first_of(
            {text_of(source, {"helm", "namespace"}), at({"spec", "destination", "namespace"})});
        for (const Value& one : items_of(source.at({"helm", "fileParameters"}))) {
            const std::string_view path = text_of(one, {"path"});
            release.text_files.push_back({.target = std::string(text_of(one, {"name"})),
                                          .path = std::string(path),
                                          .pos = one.pos()});
            if (path.find('$') != std::string_view::npos) {
                release.unknown = "fileParameters of another source";
            }
        }
        for (const Value& file : items_of(source.at({"helm", "valueFiles"}))) {
            release.values_files.push_back({std::string(text_of(file)), file.pos()});
            ValuesFile& added = release.values_files.back();
            if (!release.chart.empty() && !added.path.starts_with('$')) {
                release.unknown = "valueFiles of a chart that is not in the tree";
            }
            added.elsewhere = elsewhere(added.path, !release.chart.empty());
        }
        const Value* may_miss = source.at({"helm", "ignoreMissingValueFiles"});
        release.may_lack_files = spelling_of(may_miss) == "true";
        release.needs_files = !release.may_lack_files;
        const Value* object = source.at({"helm", "valuesObject"});
        if (object == nullptr) {
            add_text(release, source.at({"helm", "values"}));
        }
        add_map(object, release.values);
        for (const Value& one : items_of(source.at({"helm", "parameters"}))) {
            const std::string_view name = text_of(one, {"name"});
            const std::string_view value = spelling_of(one.find("value"));
            if (spelling_of(one.find("forceString")) == "true") {
                add_text_set(name, value, sources_, release.values);
            } else {
                add_sets(release, {fmt::format("{}={}", name, with_escaped_commas(value))},
                         one.pos());
            }
        }
    }

    // Returns why a file is not one of the Application's repositories; "" if it is.
    std::string elsewhere(std::string_view path, bool in_chart) const {
        if (path.find("://") != std::string_view::npos) {
            return "an address, which is not fetched";
        }
        if (!path.starts_with('$')) {
            return in_chart ? std::string(kOfChart) : std::string();
        }
        const std::string_view ref = path.substr(1, path.find('/') - 1);
        const auto has_ref = [&](const Value* source) { return text_of(*source, {"ref"}) == ref; };
        return std::ranges::any_of(application_sources(object_), has_ref)
                   ? std::string()
                   : fmt::format("no source of the Application has the ref \"{}\"", ref);
    }

    const Value& object_;
    std::string_view ns_;
    SourceMap& sources_;
    const Value* config_;
    std::vector<ChartRelease> found_;
};

// `valuesMerge` decides whether the file or the inline values take precedence.
void add_files_of_kustomization(const Value& chart, ChartRelease& release) {
    const std::string_view merge = text_of(chart, {"valuesMerge"});
    const std::string_view file = text_of(chart, {"valuesFile"});
    if (merge == "merge") {
        release.later_files.push_back({std::string(file), chart.pos()});
    } else if (merge != "replace" || release.values.empty()) {
        release.values_files.push_back({std::string(file), chart.pos()});
    }
    for (const Value& additional : items_of(chart.find("additionalValuesFiles"))) {
        release.later_files.push_back({std::string(text_of(additional)), additional.pos()});
    }
}

}  // namespace

ChartRelease ChartRelease::clone() const {
    ChartRelease copy{.pos = pos,
                      .object = object,
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
    chart = base_name(chart);
    return chart == kOperatorChart ||
           (chart.ends_with(".tgz") && chart.starts_with(fmt::format("{}-", kOperatorChart)));
}

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

std::vector<ChartRelease> chart_releases(const Value& object, std::string_view ns,
                                         SourceMap& sources, const Value* config) {
    return Reader(object, ns, sources, config).run();
}

ChartRelease chart_release_of_source(const Value& application, const Value& source,
                                     SourceMap& sources) {
    return Reader(application, text_of(application, {"metadata", "namespace"}), sources, nullptr)
        .run(source);
}

std::vector<ChartRelease> chart_releases_of_kustomization(const Value& kustomization,
                                                          const std::string& path) {
    std::vector<ChartRelease> found;
    for (const Value& chart : items_of(kustomization.find("helmCharts"))) {
        ChartRelease& release = found.emplace_back();
        release.pos = chart.pos();
        release.chart = text_of(chart, {"name"});
        release.object = path;
        release.name = text_of(chart, {"releaseName"});
        release.version = text_of(chart, {"version"});
        release.address = address_of(text_of(chart, {"repo"}), release);
        release.ns =
            first_of({text_of(chart, {"namespace"}), text_of(kustomization, {"namespace"})});
        release.files_dir = parent_path(path);
        release.with_crds = spelling_of(chart.find("includeCRDs")) == "true";
        release.with_hooks = spelling_of(chart.find("skipHooks")) != "true";
        add_map(chart.find("valuesInline"), release.values);
        add_files_of_kustomization(chart, release);
        for (const std::string_view field : {"nameTemplate", "apiVersions", "kubeVersion"}) {
            if (chart.find(field) != nullptr) {
                release.unknown = field;
            }
        }
    }
    return found;
}

}  // namespace renderer
