#include "renderer/load/hidden_exposures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/parallel.h"
#include "renderer/base/printable.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/helm/exposing_values.h"
#include "renderer/engines/helm/inflated_tree.h"
#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/kube/decoded_kinds.h"
#include "renderer/load/documents.h"
#include "renderer/load/unread_settings.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::load {

namespace {

// API groups whose objects are read elsewhere, or expose nothing.
constexpr std::array<std::string_view, 8> kOtherGroups = {
    "apps",          "autoscaling",
    "batch",         "extensions",
    "policy",        "kustomize.toolkit.fluxcd.io",
    "tailscale.com", "source.toolkit.fluxcd.io"};

bool may_expose(std::string_view api_version, std::string_view kind) {
    if (is_decoded_kind(api_version, kind)) {
        return false;
    }
    const std::size_t slash = api_version.find('/');
    if (slash == std::string_view::npos) {
        return kind == "ConfigMap";
    }
    const std::string_view group = api_version.substr(0, slash);
    return kind == "MutatingAdmissionPolicy" || kind == "Gateway" ||
           (!group.ends_with(".k8s.io") &&
            std::ranges::find(kOtherGroups, group) == kOtherGroups.end());
}

// Returns the chart of a release; "" if the object is not a release.
std::string_view chart_of(const Value& root) {
    for (const Value* chart : {root.at({"spec", "chart", "spec", "chart"}),
                               root.at({"spec", "chartRef", "name"}), root.at({"spec", "chart"})}) {
        if (!text_of(chart).empty()) {
            return text_of(chart);
        }
    }
    for (const Value* source : engines::application_sources(root)) {
        if (source->find("chart") != nullptr || source->find("helm") != nullptr) {
            const std::string_view chart = text_of(*source, {"chart"});
            return chart.empty() ? text_of(*source, {"path"}) : chart;
        }
    }
    return {};
}

// Returns the version that a release wants of a chart from a repository; "" if it wants any, or the
// chart is not from a repository.
std::string_view wanted_version(const Value& root) {
    if (root.at({"spec", "chart", "spec", "chart"}) != nullptr) {
        return text_of(root, {"spec", "chart", "spec", "version"});
    }
    for (const Value* source : engines::application_sources(root)) {
        if (source->find("chart") != nullptr) {
            return text_of(*source, {"targetRevision"});
        }
    }
    return text_of(root, {"spec", "version"});
}

// Returns the object of an engine without the parts that are read elsewhere: the kustomize settings
// and, unless `has_post_renderers`, the postRenderers.
Value without_builds(const Value& root, bool has_post_renderers) {
    Value part = root.clone();
    if (Value* spec = part.is_map() ? part.find("spec") : nullptr;
        spec != nullptr && spec->is_map() && !has_post_renderers) {
        spec->erase("postRenderers");
    }
    if (Value* source = part.is_map() ? part.find("spec") : nullptr; source && source->is_map()) {
        if (Value* inner = source->find("source"); inner != nullptr && inner->is_map()) {
            inner->erase("kustomize");
        }
    }
    return part;
}

class HiddenExposures {
public:
    HiddenExposures(const repo::SourceTree& tree, const ExposureSources& given, Loaded& loaded,
                    Diagnostics& diagnostics)
        : tree_(tree),
          given_(given),
          rendered_(given.rendered),
          loaded_(loaded),
          diagnostics_(diagnostics),
          severity_(loaded.lints && !has_operator() ? Severity::Error : Severity::Warning) {}

    void documents() {
        for (const Document& document : loaded_.documents) {
            if (!document.reachable || !may_be_input(document) ||
                !may_expose(text_of(document.api_version), text_of(document.kind)) ||
                rendered_.objects.contains(document.object_name())) {
                continue;
            }
            Diagnostics discarded;
            const Value root = read_document(loaded_, document, discarded);
            const std::string_view path = loaded_.sources.path(document.source);
            if (!refuse_changes(root, path) && !refuse_patched(root, path)) {
                warn_object(root, document.object_name());
            }
        }
    }

    void files(unsigned threads) {
        std::map<std::string_view, SourceId> loaded;
        for (const SourceFile& file : loaded_.files) {
            loaded.emplace(loaded_.sources.path(file.source), file.source);
        }
        std::vector<const engines::ChartFile*> unread;
        for (const engines::ChartFile& one : given_.files) {
            const auto known = loaded.find(one.path);
            if (is_rendered(one.path)) {
                continue;
            }
            if (known == loaded.end()) {
                unread.push_back(&one);
            } else if (is_input(loaded_.sources.text(known->second))) {
                file(one, known->second);
            }
        }
        std::vector<std::string> texts(unread.size());
        for_each_parallel(unread.size(), threads, [&](std::size_t i) {
            Result<std::string> text = tree_.read(unread[i]->path);
            if (text && is_input(*text)) {
                texts[i] = std::move(*text);
            }
        });
        for (std::size_t i = 0; i < unread.size(); ++i) {
            const std::size_t bytes = loaded_.sources.total_bytes() + texts[i].size();
            if (!texts[i].empty() && bytes < kMaxSource) {
                file(*unread[i], loaded_.sources.add(unread[i]->path, std::move(texts[i])));
            }
        }
    }

private:
    [[nodiscard]] bool is_input(std::string_view text) const {
        return repo::mentions_input(text, given_.words);
    }

    [[nodiscard]] bool may_be_input(const Document& document) const {
        return document.mentions_tailscale ||
               (!given_.words.empty() && is_input(document_text(loaded_, document)));
    }

    // True if the file, or the chart that it is in, was rendered.
    [[nodiscard]] bool is_rendered(const std::string& path) const {
        std::string part = path;
        while (!rendered_.files.contains(part)) {
            if (part == repo::parent_path(part)) {
                return false;
            }
            part = repo::parent_path(part);
        }
        return true;
    }

    // Refuses changes of a HelmRelease that expose something: Flux makes them to the objects of the
    // chart. Returns true if it reported an error.
    bool refuse_changes(const Value& root, std::string_view path) {
        if (loaded_.is_stream || text_of(root, {"kind"}) != "HelmRelease" || is_ignored(path)) {
            return false;
        }
        bool is_refused = false;
        const auto refuse = [&](const Value& kustomization, std::string_view what) {
            for (const engines::ExposingPatch& patch : engines::exposing_patches(
                     tree_, repo::parent_path(std::string(path)), kustomization, loaded_.sources)) {
                engines::refuse_exposure(patch, diagnostics_)
                    .expected(fmt::format("nothing that exposes objects of a chart: {}", what))
                    .hint(
                        "set it in the values of the chart, or write the Service or the Ingress "
                        "yourself");
                is_refused = true;
            }
        };
        for (const Value& one : items_of(root.at({"spec", "postRenderers"}))) {
            if (const Value* kustomize = one.find("kustomize")) {
                refuse(*kustomize, "postRenderers are not executed");
            }
        }
        if (const Value* common = root.at({"spec", "commonMetadata", "annotations"})) {
            Value kustomization = Value::map();
            kustomization.put("commonAnnotations", common->clone());
            refuse(kustomization, "commonMetadata is not applied");
        }
        return is_refused;
    }

    // Refuses patches that expose objects of the chart. Returns true if it reported an error.
    bool refuse_patched(const Value& root, std::string_view path) {
        if (chart_of(root).empty()) {
            return false;
        }
        bool is_refused = false;
        const std::vector<engines::ExposingValue> found =
            engines::find_exposing_values(without_builds(root, true), given_.words);
        for (const engines::ExposingPatch& patch : given_.patches) {
            const bool has_value = std::ranges::any_of(patch.values, [&](const auto& value) {
                return std::ranges::any_of(
                    found, [&](const auto& one) { return is_same_key(one.what, value.what); });
            });
            if (patch.build == path && has_value &&
                patch.is_for(text_of(root, {"kind"}), text_of(root, {"metadata", "name"}))) {
                engines::refuse_exposure(patch, diagnostics_)
                    .expected(fmt::format(
                        "chart {} in the tree or in --charts DIR, to render it with these values",
                        secrets::without_url_credentials(chart_of(root))))
                    .hint(
                        "use --charts DIR with a directory that contains it; or write the Service "
                        "or "
                        "the Ingress yourself");
                is_refused = true;
            }
        }
        return is_refused;
    }

    // Compares only the last key: the index of an item may have changed.
    static bool is_same_key(std::string_view a, std::string_view b) {
        const auto last = [](std::string_view what) {
            const std::size_t slash = what.rfind('/');
            const std::size_t dot = what.rfind('.', slash);
            return what.substr(dot == std::string_view::npos ? 0 : dot + 1);
        };
        return last(a) == last(b);
    }

    [[nodiscard]] bool is_ignored(std::string_view path) const {
        return std::ranges::any_of(loaded_.standings.ignored, [&](const std::string& dir) {
            return repo::is_within(
                repo::relative_path(repo::normal_path(path), repo::normal_path(given_.root)), dir);
        });
    }

    // True if the operator is installed, by its chart or as a Deployment.
    [[nodiscard]] bool has_operator() const {
        return given_.has_operator || has_operator_deployment(loaded_);
    }

    struct Words {
        std::string object, message, hint;
    };

    void warn(const std::vector<engines::ExposingValue>& found, const Words& words) {
        if (found.empty()) {
            return;
        }
        ++loaded_.hidden_exposures;
        const std::size_t more = found.size() - 1;
        const auto open = std::ranges::find_if(found, &engines::ExposingValue::is_public);
        diagnostics_
            .say(severity_, "hidden-exposure", found.front().pos,
                 words.message + (open == found.end()
                                      ? std::string()
                                      : fmt::format(" (PUBLIC, by {})", open->public_by)))
            .object(words.object)
            .found(found.front().what + (more == 0 ? "" : fmt::format(", and {} more", more)))
            .expected("a Service or an Ingress in the tree")
            .hint(words.hint);
    }

    static Words words_for_chart(std::string_view chart, std::string_view values) {
        return {.object = {},
                .message = "a chart is configured to expose something, which is not rendered",
                .hint = fmt::format("helm template {}{} | tailrender post-render",
                                    shell_word(secrets::without_url_credentials(chart)), values)};
    }

    void warn_object(const Value& root, std::string object) {
        const std::string_view chart = chart_of(root);
        const bool is_map = text_of(root, {"kind"}) == "ConfigMap";
        Words words = words_for_chart(chart.empty() ? "CHART" : chart, " --values VALUES");
        if (chart.empty() && !is_map) {
            words.message =
                "this object may make its operator expose something, which is not rendered";
            words.hint =
                "write the Service or the Ingress yourself: what another operator creates is not "
                "known here";
        }
        if (!chart.empty()) {
            name_helm({repo::join_path(given_.root, chart), chart, wanted_version(root)}, words);
        }
        words.object = std::move(object);
        warn(engines::find_exposing_values(without_builds(root, loaded_.is_stream), given_.words),
             words);
    }

    void file(const engines::ChartFile& file, SourceId source) {
        if (file.in_chart && file.path.find("/templates/") != std::string::npos) {
            Words words = words_for_chart(chart_dir(file.path), "");
            words.message = "the template of a chart exposes something, which is not rendered";
            need_helm(words);
            warn(engines::find_exposing_lines(loaded_.sources, source, given_.words), words);
            return;
        }
        for (const ScannedDocument& scanned : scan_documents(loaded_.sources, source)) {
            if (!scanned.blank && (scanned.mentions_tailscale || !given_.words.empty())) {
                document(file, source, scanned.range);
            }
        }
    }

    struct WantedChart {
        std::string dir;  // where it would be in the tree
        std::string_view name, version;
    };

    // Sets the hint for a chart that helm does not render because it, or the chart, is missing.
    void name_helm(const WantedChart& chart, Words& words) const {
        const bool is_here =
            tree_.kind(repo::normal_path(repo::join_path(chart.dir, "Chart.yaml"))) !=
            repo::EntryKind::Missing;
        if (is_here) {
            need_helm(words);
        } else if (loaded_.only_generated) {
            words.hint = fmt::format(
                "helm renders chart \"{}\" if --charts DIR names a directory that contains {}",
                secrets::without_url_credentials(chart.name),
                chart.version.empty() ? "it" : fmt::format("its version {}", chart.version));
        }
    }

    // Sets the hint for a chart in the tree if helm is missing.
    void need_helm(Words& words) const {
        if (rendered_.lacks_helm) {
            words.hint = "helm is not on PATH; install it or use --helm PROGRAM";
        }
    }

    static std::string_view chart_dir(std::string_view path) {
        return path.substr(0, path.rfind("/templates/"));
    }

    void document(const engines::ChartFile& file, SourceId source, RawDocument range) {
        Diagnostics discarded;
        const Value root = read_yaml(loaded_.sources, source, range, discarded);
        if (discarded.has_errors() || !root.is_map()) {
            return;
        }
        const std::string_view name = repo::base_name(file.path);
        if (repo::is_kustomization_name(name)) {
            for (const Value& chart : items_of(root.find("helmCharts"))) {
                const std::string_view called = text_of(chart, {"name"});
                if (!rendered_.objects.contains(
                        engines::chart_of_kustomization(file.path, called))) {
                    Words words = words_for_chart(called, " --values VALUES");
                    name_helm({fmt::format("{}/charts/{}", repo::parent_path(file.path), called),
                               called, text_of(chart, {"version"})},
                              words);
                    warn(engines::find_exposing_values(chart, given_.words), words);
                }
            }
        } else if (root.find("apiVersion") == nullptr || root.find("kind") == nullptr) {
            Words words = words_for_chart("CHART", " --values " + shell_word(file.path));
            if (file.in_chart) {
                need_helm(words);
            } else if (root.find("metadata") != nullptr && root.find("spec") != nullptr) {
                words.message =
                    "this looks like an object, but lacks its apiVersion or kind: nothing is "
                    "rendered";
                words.hint = "correct the keys \"apiVersion\" and \"kind\"";
            }
            warn(engines::find_exposing_values(root, given_.words), words);
        } else if (!file.is_applied &&
                   may_expose(text_of(root, {"apiVersion"}), text_of(root, {"kind"}))) {
            std::string object =
                object_name(text_of(root, {"kind"}), text_of(root, {"metadata", "namespace"}),
                            text_of(root, {"metadata", "name"}));
            if (!rendered_.objects.contains(object)) {
                warn_object(root, std::move(object));
            }
        }
    }

    const repo::SourceTree& tree_;
    const ExposureSources& given_;
    const RenderedCharts& rendered_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    Severity severity_;  // of exposures that an installed operator would still create
};

}  // namespace

void warn_hidden_exposures(const repo::SourceTree& tree, const ExposureSources& given,
                           unsigned threads, Loaded& loaded, Diagnostics& diagnostics) {
    HiddenExposures search(tree, given, loaded, diagnostics);
    search.documents();
    search.files(threads);
}

}  // namespace renderer::load
