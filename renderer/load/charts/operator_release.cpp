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
#include "renderer/secrets/userinfo.h"

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

// A variable of Flux is no credential, and nothing that we could use.
Value installing_values(const Value& values) {
    Value taken = values.clone();
    const Value* oauth = taken.find("oauth");
    for (const Member& member : members_of(oauth)) {
        if (spelling_of(member.value).find("${") != std::string::npos) {
            taken.erase("oauth");
            break;
        }
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
        for (const Found& one : found_) {
            const std::uint32_t cut = loaded_.operator_release->document;
            const bool is_replaced = cut != kNone && one.document == cut;
            if (!is_replaced || options_.lints) {
                say(one, is_replaced);
            }
        }
        return std::move(known_);
    }

private:
    struct Found {
        ChartRelease release;
        std::uint32_t document = kNone;  // that installs it and nothing else
        bool is_in_fleet = false;
        bool needs_cluster = false;  // for its values
    };

    // What is rendered is all that is applied.
    [[nodiscard]] bool is_complete(const Found& one) const {
        return !loaded_.only_generated && !loaded_.is_stream && !one.is_in_fleet;
    }

    Found* take(const ChartRelease& spelled) {
        ChartRelease release = spelled.clone();
        std::string key;
        const bool is_file = !release.dir.empty() &&
                             tree_.kind(join_path(release.dir, "Chart.yaml")) == EntryKind::File;
        const bool is_operator =
            is_file ? is_in_tree(release, key) : is_operator_chart(release.chart);
        if (!is_operator || !known_.emplace(release.object, release.chart).second) {
            return nullptr;
        }
        release.values = layers(release, key);
        Found& one = found_.emplace_back();
        one.release = std::move(release);
        return &one;
    }

    // A copy of the operator's chart, or a chart that depends on it: values of that stand below
    // `key`.
    bool is_in_tree(ChartRelease& release, std::string& key) {
        const Result<std::string> text = tree_.read(join_path(release.dir, "Chart.yaml"));
        if (!text || text->find(kOperatorChart) == std::string::npos) {
            return false;
        }
        if (!release.replaces_defaults) {
            release.values_files.insert(
                release.values_files.begin(),
                relative_path(join_path(release.dir, "values.yaml"), release.files_dir));
        }
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
                out.push_back(own->clone());
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
            take_document(document);
        }
    }

    void take_document(const Document& document) {
        Diagnostics unheard;
        const Value root = read_document(loaded_, document, unheard);
        const bool is_alone = document.list == kNone && application_sources(root).size() < 2;
        for (const ChartRelease& release :
             releases_of(document, options_.path, selection_.foreign_sources, loaded_)) {
            Found* one = take(release);
            if (one != nullptr) {
                one->is_in_fleet = !loaded_.bundles[document.bundle].fleet.is_null();
                one->needs_cluster = needs_cluster(root);
                one->document =
                    is_alone ? static_cast<std::uint32_t>(&document - loaded_.documents.data())
                             : kNone;
            }
        }
    }

    // The credential is not asked for: it is a Secret of the cluster here, too.
    static bool needs_cluster(const Value& root) {
        return std::ranges::any_of(
            items_of(root.at({"spec", "valuesFrom"})),
            [](const Value& from) { return !text_of(from, {"targetPath"}).starts_with("oauth."); });
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

    void set(Found& one) {
        ChartRelease& release = one.release;
        const bool is_replaced = is_complete(one) && one.document != kNone;
        loaded_.operator_release = OperatorRelease{.pos = release.pos,
                                                   .object = release.object,
                                                   .ns = release.ns,
                                                   .version = release.version,
                                                   .document = is_replaced ? one.document : kNone};
        if (is_replaced) {
            loaded_.operator_bundle = loaded_.documents[one.document].bundle;
            warn_of_values(one);
        }
        for (Value& layer : release.values) {
            layer = is_replaced ? installing_values(layer) : rendering_values(layer);
        }
        loaded_.values.insert(loaded_.values.begin(),
                              std::make_move_iterator(release.values.begin()),
                              std::make_move_iterator(release.values.end()));
    }

    void warn_of_values(const Found& one) {
        if (one.needs_cluster && options_.values_files.empty()) {
            diagnostics_
                .warning("unknown-offline", one.release.pos,
                         "the operator has values that only the cluster knows")
                .object(one.release.object)
                .found("valuesFrom")
                .expected("the values that matter in spec.values")
                .hint("write them there, or give them with --values FILE");
        }
    }

    void say(const Found& one, bool is_replaced) {
        const bool is_error = is_complete(one) ? !is_replaced : options_.lints;
        const ChartRelease& release = one.release;
        diagnostics_
            .say(is_error ? Severity::Error : Severity::Warning, "operator-live", release.pos,
                 "the operator is installed here: it serves what tailrender's controller would")
            .object(release.object)
            .found(fmt::format("chart {}{}{}", without_url_credentials(release.chart),
                               release.version.empty() ? "" : " ", release.version))
            .expected("one of the two")
            .hint(hint_of(one, is_replaced));
    }

    [[nodiscard]] std::string hint_of(const Found& one, bool is_replaced) const {
        if (is_replaced) {
            return "a complete tree has the controller in its place; with --only generated remove "
                   "it";
        }
        return is_complete(one)
                   ? "remove it from this file; \"tailrender install\" prints the controller"
                   : "remove it when the output is applied; docs/migration.md has the order";
    }

    const SourceTree& tree_;
    const Selection& selection_;
    const LoadOptions& options_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    std::vector<Found> found_;
    InstalledCharts known_;
};

}  // namespace

InstalledCharts find_operator_release(const SourceTree& tree, const Selection& selection,
                                      const LoadOptions& options, Loaded& loaded,
                                      Diagnostics& diagnostics) {
    return OperatorSearch(tree, selection, options, loaded, diagnostics).run();
}

}  // namespace renderer
