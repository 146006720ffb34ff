#include "renderer/load/charts/hidden_exposures.h"

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
#include "renderer/load/charts/exposing_values.h"
#include "renderer/load/charts/inflated_tree.h"
#include "renderer/load/documents.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/walk.h"
#include "renderer/secrets/userinfo.h"

namespace renderer {

namespace {

// What they hold is read elsewhere, or exposes nothing.
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
    return !group.ends_with(".k8s.io") &&
           std::ranges::find(kOtherGroups, group) == kOtherGroups.end();
}

// "" for an object that is no release of a chart.
std::string_view chart_of(const Value& root) {
    for (const Value* chart : {root.at({"spec", "chart", "spec", "chart"}),
                               root.at({"spec", "chartRef", "name"}), root.at({"spec", "chart"})}) {
        if (!text_of(chart).empty()) {
            return text_of(chart);
        }
    }
    for (const Value* source : application_sources(root)) {
        if (source->find("chart") != nullptr || source->find("helm") != nullptr) {
            const std::string_view chart = text_of(*source, {"chart"});
            return chart.empty() ? text_of(*source, {"path"}) : chart;
        }
    }
    return {};
}

// The parts of an object of an engine that no one else reads.
Value without_builds(const Value& root) {
    Value part = root.clone();
    if (Value* source = part.is_map() ? part.find("spec") : nullptr; source && source->is_map()) {
        if (Value* inner = source->find("source"); inner != nullptr && inner->is_map()) {
            inner->erase("kustomize");
        }
    }
    return part;
}

class HiddenExposures {
public:
    HiddenExposures(const SourceTree& tree, const RenderedCharts& rendered, Loaded& loaded,
                    Diagnostics& diagnostics)
        : tree_(tree), rendered_(rendered), loaded_(loaded), diagnostics_(diagnostics) {}

    void documents() {
        for (const Document& document : loaded_.documents) {
            if (!document.reachable || !document.mentions_tailscale ||
                !may_expose(text_of(document.api_version), text_of(document.kind)) ||
                rendered_.objects.contains(document.object_name())) {
                continue;
            }
            Diagnostics unheard;
            const Value root = read_document(loaded_, document, unheard);
            warn_object(root, document.object_name());
        }
    }

    void files(const std::vector<ChartFile>& files, unsigned threads) {
        std::map<std::string_view, SourceId> loaded;
        for (const SourceFile& file : loaded_.files) {
            loaded.emplace(loaded_.sources.path(file.source), file.source);
        }
        std::vector<const ChartFile*> unread;
        for (const ChartFile& one : files) {
            const auto known = loaded.find(one.path);
            if (is_rendered(one.path)) {
                continue;
            }
            if (known == loaded.end()) {
                unread.push_back(&one);
            } else if (mentions_tailscale(loaded_.sources.text(known->second))) {
                file(one, known->second);
            }
        }
        std::vector<std::string> texts(unread.size());
        for_each_parallel(unread.size(), threads, [&](std::size_t i) {
            Result<std::string> text = tree_.read(unread[i]->path);
            if (text && mentions_tailscale(*text)) {
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
    // The file itself, or the chart that it is in.
    [[nodiscard]] bool is_rendered(const std::string& path) const {
        std::string part = path;
        while (!rendered_.files.contains(part)) {
            if (part == parent_path(part)) {
                return false;
            }
            part = parent_path(part);
        }
        return true;
    }

    struct Words {
        std::string object, message, hint;
    };

    void warn(const std::vector<ExposingValue>& found, const Words& words) {
        if (found.empty()) {
            return;
        }
        ++loaded_.hidden_exposures;
        const std::size_t more = found.size() - 1;
        diagnostics_.warning("hidden-exposure", found.front().pos, words.message)
            .object(words.object)
            .found(found.front().what + (more == 0 ? "" : fmt::format(", and {} more", more)))
            .expected("a Service or an Ingress in the tree")
            .hint(words.hint);
    }

    static Words words_for_chart(std::string_view chart, std::string_view values) {
        return {.object = {},
                .message = "a chart is told to expose something, which is not rendered",
                .hint = fmt::format("helm template {}{} | tailrender post-render",
                                    shell_word(without_url_credentials(chart)), values)};
    }

    void warn_object(const Value& root, std::string object) {
        const std::string_view chart = chart_of(root);
        const bool is_map = text_of(root, {"kind"}) == "ConfigMap";
        Words words = words_for_chart(chart.empty() ? "CHART" : chart, " --values VALUES");
        if (chart.empty() && !is_map) {
            words.message =
                "this object may make its operator expose something, which is not rendered";
            words.hint = "what the operator creates is not known here; a Service of your own is";
        }
        words.object = std::move(object);
        warn(find_exposing_values(without_builds(root)), words);
    }

    void file(const ChartFile& file, SourceId source) {
        if (file.in_chart && file.path.find("/templates/") != std::string::npos) {
            Words words = words_for_chart(chart_dir(file.path), "");
            words.message = "the template of a chart exposes something, which is not rendered";
            need_helm(words);
            warn(find_exposing_lines(loaded_.sources, source), words);
            return;
        }
        for (const ScannedDocument& scanned : scan_documents(loaded_.sources, source)) {
            if (!scanned.blank && scanned.mentions_tailscale) {
                document(file, source, scanned.range);
            }
        }
    }

    // Of a chart in the tree.
    void need_helm(Words& words) const {
        if (rendered_.lacks_helm) {
            words.hint = "helm is not on PATH; install it or use --helm PROGRAM";
        }
    }

    static std::string_view chart_dir(std::string_view path) {
        return path.substr(0, path.rfind("/templates/"));
    }

    void document(const ChartFile& file, SourceId source, RawDocument range) {
        Diagnostics unheard;
        const Value root = read_yaml(loaded_.sources, source, range, unheard);
        if (unheard.has_errors() || !root.is_map()) {
            return;
        }
        const std::string_view name = base_name(file.path);
        if (std::ranges::find(kKustomizationNames, name) != kKustomizationNames.end()) {
            for (const Value& chart : items_of(root.find("helmCharts"))) {
                const std::string_view called = text_of(chart, {"name"});
                if (!rendered_.objects.contains(chart_of_kustomization(file.path, called))) {
                    warn(find_exposing_values(chart), words_for_chart(called, " --values VALUES"));
                }
            }
        } else if (root.find("apiVersion") == nullptr || root.find("kind") == nullptr) {
            Words words = words_for_chart("CHART", " --values " + shell_word(file.path));
            if (file.in_chart) {
                need_helm(words);
            }
            warn(find_exposing_values(root), words);
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

    const SourceTree& tree_;
    const RenderedCharts& rendered_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
};

}  // namespace

void warn_hidden_exposures(const SourceTree& tree, const std::vector<ChartFile>& files,
                           const RenderedCharts& rendered, unsigned threads, Loaded& loaded,
                           Diagnostics& diagnostics) {
    HiddenExposures search(tree, rendered, loaded, diagnostics);
    search.documents();
    search.files(files, threads);
}

}  // namespace renderer
