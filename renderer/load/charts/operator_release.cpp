#include "renderer/load/charts/operator_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/load/charts/chart_release.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/values/values.h"
#include "renderer/load/walk.h"

namespace renderer {

namespace {

// The rest of the chart's values is for the operator itself.
Value rendering_values(const Value& values) {
    Value taken = Value::map();
    for (const std::string_view key : {"loginServer", "ingressClass"}) {
        if (const Value* value = values.find(key)) {
            taken.put(key, value->clone());
        }
    }
    Value proxies = Value::map();
    for (const std::string_view key :
         {"image", "defaultTags", "defaultProxyClass", "firewallMode"}) {
        if (const Value* value = values.at({"proxyConfig", key})) {
            proxies.put(key, value->clone());
        }
    }
    if (proxies.size() > 0) {
        taken.put("proxyConfig", std::move(proxies));
    }
    if (const Value* env = values.at({"operatorConfig", "extraEnv"})) {
        Value config = Value::map();
        config.put("extraEnv", env->clone());
        taken.put("operatorConfig", std::move(config));
    }
    return taken;
}

class OperatorSearch {
public:
    OperatorSearch(const SourceTree& tree, const Selection& selection, const LoadOptions& options,
                   Loaded& loaded, Diagnostics& diagnostics)
        : tree_(tree),
          selection_(selection),
          options_(options),
          loaded_(loaded),
          diagnostics_(diagnostics) {}

    void run() {
        for (const ChartRelease& release : selection_.releases) {
            take(release);
        }
        documents();
        kustomizations();
        if (!found_.empty() && !loaded_.operator_bundle) {
            set(found_.front());
        }
        for (const ChartRelease& release : found_) {
            warn(release);
        }
    }

private:
    void take(const ChartRelease& release) {
        const std::optional<std::string> tag = source_tag(release);
        if ((is_operator_chart(release.chart) || tag) && known_.insert(release.object).second) {
            found_.push_back(
                {.pos = release.pos,
                 .object = release.object,
                 .chart = release.chart,
                 .version = release.version.empty() ? tag.value_or("") : release.version,
                 .ns = release.ns});
            layers(release, found_.back().values);
        }
    }

    // `chartRef` names an OCIRepository, whose address names the chart. None: it is another one.
    [[nodiscard]] std::optional<std::string> source_tag(const ChartRelease& release) const {
        for (const Document& document : loaded_.documents) {
            if (text_of(&document.kind) == "OCIRepository" && document.mentions_tailscale &&
                text_of(&document.name) == release.chart) {
                Diagnostics unheard;
                const Value root = read_document(loaded_, document, unheard);
                if (is_operator_chart(text_of(root, {"spec", "url"}))) {
                    return std::string(text_of(root, {"spec", "ref", "tag"}));
                }
            }
        }
        return std::nullopt;
    }

    // Files that are not in the tree are not missed: the operator's values stay what they are.
    void layers(const ChartRelease& release, std::vector<Value>& out) {
        std::vector<Value> values;
        for (const std::string& spelled : release.values_files) {
            const bool is_reference = spelled.starts_with('$');
            const std::string path =
                is_reference
                    ? normal_path(join_path(options_.path, spelled.substr(spelled.find('/') + 1)))
                    : normal_path(join_path(parent_path(release.object), spelled));
            const bool is_inside =
                is_within(tree_.real_path(path), tree_.real_path(normal_path(options_.path)));
            if (!spelled.empty() && is_inside && tree_.kind(path) == EntryKind::File) {
                Diagnostics unheard;
                add_values_file(tree_, path, {}, loaded_.sources, values, unheard);
            }
        }
        for (const std::vector<Value>* given : {&std::as_const(values), &release.values}) {
            for (const Value& layer : *given) {
                out.push_back(rendering_values(layer));
            }
        }
    }

    void documents() {
        for (const Document& document : loaded_.documents) {
            if (!document.reachable || !document.mentions_tailscale) {
                continue;
            }
            const std::string_view kind = text_of(&document.kind);
            const bool is_application = kind == "Application" && !selection_.has_units;
            if (kind != "HelmRelease" && kind != "HelmChart" && !is_application) {
                continue;
            }
            Diagnostics unheard;
            const Value root = read_document(loaded_, document, unheard);
            const std::string& ns = document.effective_namespace;
            for (const ChartRelease& release : chart_releases(root, ns, loaded_.sources)) {
                take(release);
            }
        }
    }

    void kustomizations() {
        for (const ChartFile& file : selection_.chart_files) {
            const bool is_kustomization =
                std::ranges::find(kKustomizationNames, base_name(file.path)) !=
                kKustomizationNames.end();
            if (!is_kustomization || !file.is_applied) {
                continue;
            }
            Result<std::string> text = tree_.read(file.path);
            if (!text || text->find(kOperatorChart) == std::string::npos) {
                continue;
            }
            Diagnostics unheard;
            const SourceId source = loaded_.sources.add(file.path, std::move(*text));
            const Value root = read_yaml(loaded_.sources, source, unheard);
            for (const ChartRelease& release : chart_releases_of_kustomization(root, file.path)) {
                take(release);
            }
        }
    }

    void set(ChartRelease& release) {
        loaded_.operator_release = OperatorRelease{.pos = release.pos,
                                                   .object = release.object,
                                                   .ns = release.ns,
                                                   .version = release.version};
        loaded_.values.insert(loaded_.values.begin(),
                              std::make_move_iterator(release.values.begin()),
                              std::make_move_iterator(release.values.end()));
    }

    void warn(const ChartRelease& release) {
        diagnostics_
            .warning("operator-live", release.pos,
                     "the operator is installed here: it serves what tailrender's controller would")
            .object(release.object)
            .found(fmt::format("chart {}{}{}", release.chart, release.version.empty() ? "" : " ",
                               release.version))
            .expected("one of the two")
            .hint("remove it when the output is applied; docs/migration.md has the order");
    }

    const SourceTree& tree_;
    const Selection& selection_;
    const LoadOptions& options_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    std::vector<ChartRelease> found_;
    std::set<std::string> known_;
};

}  // namespace

void find_operator_release(const SourceTree& tree, const Selection& selection,
                           const LoadOptions& options, Loaded& loaded, Diagnostics& diagnostics) {
    OperatorSearch(tree, selection, options, loaded, diagnostics).run();
}

}  // namespace renderer
