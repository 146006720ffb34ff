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
#include "renderer/load/charts/inflated_tree.h"
#include "renderer/load/charts/operator_dependency.h"
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

    InstalledOperators run() {
        for (const ChartRelease& release : selection_.releases) {
            take(release);
        }
        for (const ChartRelease& release : selection_.in_fleet) {
            if (Found* one = take(release)) {
                one->is_in_fleet = true;
            }
        }
        documents();
        kustomizations();
        if (!found_.empty() && !loaded_.operator_bundle) {
            set(found_.front());
        }
        for (Found& one : found_) {
            const std::uint32_t cut =
                loaded_.operator_release ? loaded_.operator_release->document : kNone;
            const bool is_replaced = cut != kNone && one.document == cut;
            if (!is_replaced || options_.lints) {
                say(one, is_replaced);
            }
            if (one.is_dependency && is_replaced) {
                operators_.replaced.push_back({std::move(one.release), one.document});
            }
        }
        return std::move(operators_);
    }

private:
    struct Found {
        ChartRelease release;
        std::vector<Value> values = {};  // of the operator, in rising precedence
        std::string version = {};
        bool is_dependency = false;      // of the release's chart
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
        const bool is_file = !release.dir.empty() &&
                             tree_.kind(join_path(release.dir, "Chart.yaml")) == EntryKind::File;
        if (is_file && !release.replaces_defaults) {
            release.values_files.insert(
                release.values_files.begin(),
                relative_path(join_path(release.dir, "values.yaml"), release.files_dir));
        }
        Found one{.release = spelled.clone(), .version = release.version};
        if (!installs_operator_alone(tree_, release)) {
            if (!is_file || !take_dependency(release, one)) {
                return nullptr;
            }
        } else {
            one.values = layers(release);
            if (is_file) {
                one.version = version_of(release.dir);
            }
        }
        if (!known_.emplace(release.object, release.chart).second) {
            return nullptr;
        }
        if (!one.is_dependency) {
            operators_.alone.emplace(release.object, release.chart);
        }
        return &found_.emplace_back(std::move(one));
    }

    // Of the charts that the operator's is a dependency of: the values of that.
    bool take_dependency(const ChartRelease& release, Found& one) {
        for (OperatorDependency& dependency :
             operator_dependencies(tree_, options_.path, release.dir)) {
            std::optional<std::vector<Value>> values =
                operator_values(tree_, dependency, layers(release), loaded_.sources);
            if (values) {
                one.values = std::move(*values);
                one.version = std::move(dependency.version);
                one.is_dependency = true;
                return true;
            }
        }
        return false;
    }

    std::string version_of(const std::string& dir) {
        const Result<std::string> text = tree_.read(join_path(dir, "Chart.yaml"));
        Diagnostics unheard;
        return text ? std::string(scalar_text(
                          read_yaml(loaded_.sources, loaded_.sources.add(dir, *text), unheard)
                              .at({"version"})))
                    : std::string();
    }

    // Files that are not in the tree are not missed: the operator's values stay what they are.
    std::vector<Value> layers(const ChartRelease& release) {
        std::vector<Value> out;
        for (const Value& layer : chart_values(tree_, options_.path, release, loaded_).layers) {
            if (layer.is_map()) {
                out.push_back(layer.clone());
            }
        }
        return out;
    }

    void documents() {
        for (const Document& document : loaded_.documents) {
            const std::string_view kind = text_of(&document.kind);
            const bool is_application = kind == "Application" && !selection_.has_units;
            if (document.reachable &&
                (kind == "HelmRelease" || kind == "HelmChart" || is_application) &&
                (document.mentions_tailscale || may_name_directory(document))) {
                take_document(document);
            }
        }
    }

    // A chart in the tree may depend on the operator's under any name.
    [[nodiscard]] bool may_name_directory(const Document& document) const {
        const std::string_view sign =
            text_of(&document.kind) == "Application" ? "path:" : "GitRepository";
        return !loaded_.is_stream &&
               document_text(loaded_, document).find(sign) != std::string_view::npos;
    }

    // Of an Application also the charts in the tree, which are read as the whole repository.
    std::vector<ChartRelease> releases(const Document& document, const Value& root) {
        std::vector<ChartRelease> found =
            releases_of(document, options_.path, selection_.foreign_sources, loaded_);
        if (text_of(&document.kind) != "Application" || loaded_.is_stream) {
            return found;
        }
        for (const Value* source : application_sources(root)) {
            const std::string_view path = text_of(*source, {"path"});
            const std::string dir = normal_path(join_path(options_.path, path));
            if (path.empty() || source->find("chart") != nullptr ||
                tree_.kind(join_path(dir, "Chart.yaml")) != EntryKind::File) {
                continue;
            }
            ChartRelease& release =
                found.emplace_back(chart_release_of_source(root, *source, loaded_.sources));
            release.dir = release.files_dir = release.chart = dir;
        }
        return found;
    }

    void take_document(const Document& document) {
        Diagnostics unheard;
        const Value root = read_document(loaded_, document, unheard);
        const bool is_alone = document.list == kNone && application_sources(root).size() < 2;
        for (const ChartRelease& release : releases(document, root)) {
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
            if (!text || text->find("helmCharts") == std::string::npos) {
                continue;
            }
            Diagnostics unheard;
            const SourceId source = loaded_.sources.add(file.path, std::move(*text));
            const Value root = read_yaml(loaded_.sources, source, unheard);
            for (ChartRelease& release : chart_releases_of_kustomization(root, file.path)) {
                release.dir = chart_home_dir(tree_, root, parent_path(file.path), release);
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
                                                   .version = one.version,
                                                   .document = is_replaced ? one.document : kNone};
        if (is_replaced) {
            loaded_.operator_bundle = loaded_.documents[one.document].bundle;
            warn_of_values(one);
        }
        for (Value& layer : one.values) {
            layer = is_replaced ? installing_values(layer) : rendering_values(layer);
        }
        loaded_.values.insert(loaded_.values.begin(), std::make_move_iterator(one.values.begin()),
                              std::make_move_iterator(one.values.end()));
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
            .found(fmt::format("chart {}{}{}",
                               one.is_dependency ? fmt::format("{}, which depends on {}",
                                                               release.chart, kOperatorChart)
                                                 : without_url_credentials(release.chart),
                               one.version.empty() ? "" : " ", one.version))
            .expected("one of the two")
            .hint(hint_of(one, is_replaced));
    }

    [[nodiscard]] std::string hint_of(const Found& one, bool is_replaced) const {
        if (is_replaced) {
            return "a complete tree has the controller in its place; with --only generated remove "
                   "it";
        }
        if (one.is_dependency && !is_complete(one)) {
            return "remove the dependency when the output is applied; docs/migration.md has the "
                   "order";
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
    InstalledCharts known_;  // of which each was taken once
    InstalledOperators operators_;
};

}  // namespace

InstalledOperators find_operator_release(const SourceTree& tree, const Selection& selection,
                                         const LoadOptions& options, Loaded& loaded,
                                         Diagnostics& diagnostics) {
    return OperatorSearch(tree, selection, options, loaded, diagnostics).run();
}

}  // namespace renderer
