#include "renderer/load/charts/operator_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/load/charts/chart_release.h"
#include "renderer/load/charts/chart_values.h"
#include "renderer/load/tree/paths.h"
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

    InstalledCharts run() {
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
        return std::move(known_);
    }

private:
    void take(const ChartRelease& spelled) {
        ChartRelease release = spelled.clone();
        std::string key;
        const bool is_operator =
            release.dir.empty() ? is_operator_chart(release.chart) : is_in_tree(release, key);
        if (is_operator && known_.emplace(release.object, release.chart).second) {
            release.values = layers(release, key);
            found_.push_back(std::move(release));
        }
    }

    // A copy of the operator's chart, or a chart that depends on it: values of that stand below
    // `key`.
    bool is_in_tree(ChartRelease& release, std::string& key) {
        const Result<std::string> text = tree_.read(join_path(release.dir, "Chart.yaml"));
        if (!text || text->find(kOperatorChart) == std::string::npos) {
            return false;
        }
        release.values_files.insert(release.values_files.begin(), "values.yaml");
        Diagnostics unheard;
        const Value chart =
            read_yaml(loaded_.sources, loaded_.sources.add(release.dir, *text), unheard);
        if (text_of(chart, {"name"}) == kOperatorChart && chart.find("dependencies") == nullptr) {
            release.version = text_of(chart, {"version"});
            return true;
        }
        for (const Value& dependency : items_of(chart.find("dependencies"))) {
            if (text_of(dependency, {"name"}) == kOperatorChart) {
                const std::string_view alias = text_of(dependency, {"alias"});
                key = alias.empty() ? kOperatorChart : alias;
                release.version = text_of(dependency, {"version"});
                return true;
            }
        }
        return false;
    }

    // Files that are not in the tree are not missed: the operator's values stay what they are.
    std::vector<Value> layers(const ChartRelease& release, const std::string& key) {
        std::vector<Value> out;
        for (const Value& layer : chart_values(tree_, options_.path, release, loaded_).layers) {
            const Value* own = key.empty() ? &layer : layer.find(key);
            if (own != nullptr && own->is_map()) {
                out.push_back(rendering_values(*own));
            }
        }
        return out;
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
            for (const ChartRelease& release : releases_of(document, loaded_)) {
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
    InstalledCharts known_;
};

}  // namespace

InstalledCharts find_operator_release(const SourceTree& tree, const Selection& selection,
                                      const LoadOptions& options, Loaded& loaded,
                                      Diagnostics& diagnostics) {
    return OperatorSearch(tree, selection, options, loaded, diagnostics).run();
}

}  // namespace renderer
