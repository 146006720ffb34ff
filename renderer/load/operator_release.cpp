#include "renderer/load/operator_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/sha256.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/engines/helm/inflated_tree.h"
#include "renderer/engines/helm/operator_dependency.h"
#include "renderer/engines/kustomize/helm_charts.h"
#include "renderer/load/release_objects.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::load {

namespace {

// Returns the values that change what is rendered. The chart's other values only configure the
// operator.
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
    Value config = Value::map();
    if (const Value* env = values.at({"operatorConfig", "extraEnv"})) {
        config.put("extraEnv", env->clone());
    }
    if (const Value* tag = values.at({"operatorConfig", "image", "tag"})) {
        Value image = Value::map();
        image.put("tag", tag->clone());
        config.put("image", std::move(image));
    }
    if (config.size() > 0) {
        taken.put("operatorConfig", std::move(config));
    }
    return taken;
}

// Returns the values without credentials that are variables of Flux: their values are not known
// here.
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
    OperatorSearch(const repo::SourceTree& tree, const engines::Selection& selection,
                   const repo::LoadOptions& options, Loaded& loaded, Diagnostics& diagnostics)
        : tree_(tree),
          selection_(selection),
          options_(options),
          loaded_(loaded),
          diagnostics_(diagnostics) {}

    InstalledOperators run() {
        if (loaded_.operator_bundle) {
            bundle_values();
        }
        for (const engines::ChartRelease& release : selection_.releases) {
            take(release);
        }
        for (const engines::ChartRelease& release : selection_.in_fleet) {
            if (Found* one = take(release)) {
                one->is_in_fleet = true;
            }
        }
        documents();
        kustomizations();
        note_variables();
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
        operators_.is_any = !found_.empty();
        return std::move(operators_);
    }

private:
    struct Found {
        engines::ChartRelease release;
        std::vector<Value> values = {};  // values of the operator's chart, in rising precedence
        std::string version = {};
        // The operator's chart is a dependency of the release's chart.
        bool is_dependency = false;
        std::uint32_t document = kNone;  // the document that installs the release and nothing else
        bool is_in_fleet = false;
        std::vector<engines::UnreadValues> unread = {};
        Diagnostics warnings = {};  // warnings about its values
    };

    // True if the output is everything that is applied.
    [[nodiscard]] bool is_complete(const Found& one) const {
        return !loaded_.only_generated && !loaded_.is_stream && !one.is_in_fleet;
    }

    Found* take(const engines::ChartRelease& spelled) {
        engines::ChartRelease release = spelled.clone();
        const bool is_file =
            !release.dir.empty() &&
            tree_.kind(repo::join_path(release.dir, "Chart.yaml")) == repo::EntryKind::File;
        const std::string defaults = repo::join_path(release.dir, "values.yaml");
        if (is_file && !release.replaces_defaults &&
            tree_.kind(defaults) == repo::EntryKind::File) {
            release.values_files.insert(
                release.values_files.begin(),
                engines::ValuesFile{repo::relative_path(defaults, release.files_dir)});
        }
        release.is_operator = true;
        operators_.charts.insert(release.dir);
        Found one{.release = spelled.clone(), .version = version_of(release)};
        if (!engines::installs_operator_alone(tree_, release)) {
            if (!is_file && engines::is_mistyped_operator_chart(release.chart)) {
                engines::refuse_mistyped_chart(release.chart, release.pos, diagnostics_)
                    .object(release.object);
            }
            if (!is_file || !take_dependency(release, one)) {
                return nullptr;
            }
        } else {
            one.values = layers(release, one);
            if (is_file) {
                one.version = version_in(release.dir);
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

    // Takes the values of the first dependency on the operator's chart. Returns false if there is
    // none.
    bool take_dependency(const engines::ChartRelease& release, Found& one) {
        std::vector<engines::OperatorDependency> dependencies =
            engines::operator_dependencies(tree_, options_.path, release.dir);
        if (dependencies.empty()) {
            return false;
        }
        const std::vector<Value> above = layers(release, one);
        for (engines::OperatorDependency& dependency : dependencies) {
            std::optional<std::vector<Value>> values =
                engines::operator_values(tree_, dependency, above, loaded_.sources);
            if (values) {
                one.values = std::move(*values);
                one.unread = unread_below(std::move(one.unread), dependency.steps);
                one.version = std::move(dependency.version);
                one.is_dependency = true;
                return true;
            }
        }
        return false;
    }

    // Returns the version that the release names, in its chart's address if it has one of an
    // archive.
    static std::string version_of(const engines::ChartRelease& release) {
        const std::string archive = fmt::format("{}-", engines::kOperatorChart);
        std::string_view name = repo::base_name(release.chart);
        if (!release.version.empty() || !name.starts_with(archive) || !name.ends_with(".tgz")) {
            return release.version;
        }
        name.remove_prefix(archive.size());
        return std::string(name.substr(0, name.size() - std::string_view(".tgz").size()));
    }

    std::string version_in(const std::string& dir) {
        const Result<std::string> text = tree_.read(repo::join_path(dir, "Chart.yaml"));
        Diagnostics discarded;
        return text ? std::string(scalar_text(
                          read_yaml(loaded_.sources, loaded_.sources.add(dir, *text), discarded)
                              .at({"version"})))
                    : std::string();
    }

    // Returns the layers of values of a release. All are maps, because `below` of unread values
    // counts them.
    std::vector<Value> layers(const engines::ChartRelease& release, Found& one) {
        engines::ChartValues values = chart_values(tree_, options_.path, release, loaded_);
        for (Value& layer : values.layers) {
            if (!layer.is_map()) {
                layer = Value::map();
            }
        }
        one.unread = std::move(values.unread);
        one.warnings = std::move(values.warnings);
        return std::move(values.layers);
    }

    // Returns the unread values of a chart that belong to its dependency.
    static std::vector<engines::UnreadValues> unread_below(
        std::vector<engines::UnreadValues> unread,
        const std::vector<engines::DependencyStep>& steps) {
        std::vector<engines::UnreadValues> out;
        for (engines::UnreadValues& one : unread) {
            if (std::ranges::all_of(steps, [&](const engines::DependencyStep& step) {
                    return is_below(one.target, step.key);
                })) {
                one.below += steps.size();
                out.push_back(std::move(one));
            }
        }
        return out;
    }

    // True if the target belongs to the dependency `key`; the target then becomes a path in the
    // values of the dependency.
    static bool is_below(std::string& target, const std::string& key) {
        if (target.empty()) {
            return true;
        }
        if (target == key) {
            target.clear();
            return true;
        }
        if (!target.starts_with(fmt::format("{}.", key))) {
            return false;
        }
        target.erase(0, key.size() + 1);
        return true;
    }

    // Adds the values that a Fleet bundle takes from objects, below the values in its fleet.yaml.
    void bundle_values() {
        engines::ChartRelease release;
        release.is_operator = true;
        release.values_from = selection_.values_from;
        release.pos = loaded_.bundles[*loaded_.operator_bundle].chart_pos;
        Found one;
        one.values = layers(release, one);
        take_values(one);
    }

    void take_values(Found& one) {
        loaded_.values.insert(loaded_.values.begin(), std::make_move_iterator(one.values.begin()),
                              std::make_move_iterator(one.values.end()));
        loaded_.unread_values = std::move(one.unread);
        diagnostics_.append(std::move(one.warnings));
    }

    void documents() {
        for (const Document& document : loaded_.documents) {
            const std::string_view kind = text_of(&document.kind);
            const bool is_application = kind == "Application" && !selection_.has_units;
            if (document.reachable &&
                (kind == "HelmRelease" || kind == "HelmChart" || is_application) &&
                (document.mentions_tailscale || may_name_chart(document))) {
                take_document(document);
            }
        }
    }

    // A chart in the tree may depend on the operator's chart, and another object may name the
    // chart, so its release need not mention Tailscale.
    [[nodiscard]] bool may_name_chart(const Document& document) const {
        const std::string_view text = document_text(loaded_, document);
        const std::string_view sign =
            text_of(&document.kind) == "Application" ? "path:" : "GitRepository";
        return !loaded_.is_stream && (text.find(sign) != std::string_view::npos ||
                                      text.find("chartRef") != std::string_view::npos);
    }

    // Returns the releases of an object. Those of an Application include charts in the tree; the
    // tree is read as the whole repository.
    std::vector<engines::ChartRelease> releases(const Document& document, const Value& root) {
        std::vector<engines::ChartRelease> found =
            releases_of(document, root, options_.path, selection_.foreign_sources, loaded_);
        if (text_of(&document.kind) != "Application" || loaded_.is_stream) {
            return found;
        }
        for (const Value* source : engines::application_sources(root)) {
            const std::string_view path = text_of(*source, {"path"});
            const std::string dir = repo::normal_path(repo::join_path(options_.path, path));
            if (path.empty() || source->find("chart") != nullptr ||
                tree_.kind(repo::join_path(dir, "Chart.yaml")) != repo::EntryKind::File) {
                continue;
            }
            engines::ChartRelease& release = found.emplace_back(engines::chart_release_of_source(
                root, document.effective_namespace, *source, loaded_.sources));
            release.dir = release.files_dir = release.chart = dir;
        }
        return found;
    }

    void take_document(const Document& document) {
        Diagnostics discarded;
        const Value root = read_document(loaded_, document, discarded);
        if (root.at({"spec", "kubeConfig"}) != nullptr) {
            operators_.elsewhere.emplace(loaded_.sources.path(document.source));
            return;
        }
        const bool is_alone =
            document.list == kNone && engines::application_sources(root).size() < 2;
        for (engines::ChartRelease& release : releases(document, root)) {
            if (release.is_suspended && release.kept.empty()) {
                release.kept = "spec.suspend is true";
            }
            Found* one = take(release);
            if (one != nullptr) {
                one->is_in_fleet = !loaded_.bundles[document.bundle].fleet.is_null();
                one->document =
                    is_alone ? static_cast<std::uint32_t>(&document - loaded_.documents.data())
                             : kNone;
            }
        }
    }

    void kustomizations() {
        for (const engines::ChartFile& file : selection_.chart_files) {
            if (!repo::is_kustomization_name(repo::base_name(file.path)) || !file.is_applied) {
                continue;
            }
            Result<std::string> text = tree_.read(file.path);
            if (!text || text->find("helmCharts") == std::string::npos) {
                continue;
            }
            Diagnostics discarded;
            const SourceId source = loaded_.sources.add(file.path, std::move(*text));
            const Value root = read_yaml(loaded_.sources, source, discarded);
            for (engines::ChartRelease& release :
                 engines::chart_releases_of_kustomization(root, file.path)) {
                release.dir =
                    engines::chart_home_dir(tree_, root, repo::parent_path(file.path), release);
                take(release);
            }
        }
    }

    void note_variables() {
        const auto note = [&](const std::vector<Value>& layers) {
            for (const Value& layer : layers) {
                for (const Value& one : items_of(layer.at({"operatorConfig", "extraEnv"}))) {
                    operators_.variables.emplace(text_of(one, {"name"}));
                }
            }
        };
        note(loaded_.values);
        for (const Found& one : found_) {
            note(one.values);
        }
    }

    void set(Found& one) {
        engines::ChartRelease& release = one.release;
        const bool is_replaced = is_complete(one) && one.document != kNone;
        const engines::AppliedUnit unit =
            engines::unit_of_object(*release.unit, release.object, {});
        loaded_.operator_release = OperatorRelease{.pos = release.pos,
                                                   .object = release.object,
                                                   .ns = release.ns,
                                                   .version = one.version,
                                                   .unit = unit.path,
                                                   .document = is_replaced ? one.document : kNone};
        if (is_replaced) {
            loaded_.operator_bundle = loaded_.documents[one.document].bundle;
        }
        std::string text;
        for (Value& layer : one.values) {
            write_yaml(rendering_values(layer), text);
            if (!is_replaced) {
                Value& kept = loaded_.release_values.emplace_back(layer.clone());
                kept.erase("global");
                if (one.is_dependency) {
                    kept.erase("enabled");  // the usual condition of a dependency
                }
            }
            layer = is_replaced ? installing_values(layer) : rendering_values(layer);
        }
        loaded_.operator_release->kept = release.kept;
        loaded_.operator_release->digest = sha256_hex(text).substr(0, kDigestLength);
        take_values(one);
    }

    void say(const Found& one, bool is_replaced) {
        const bool is_error = is_complete(one) ? !is_replaced : options_.lints;
        const engines::ChartRelease& release = one.release;
        diagnostics_
            .say(
                is_error ? Severity::Error : Severity::Warning, "operator-live", release.pos,
                "the Tailscale operator is installed here: with tailrender's controller both would "
                "serve the same objects")
            .object(release.object)
            .found(fmt::format(
                "chart {}{}{}",
                one.is_dependency
                    ? fmt::format("{}, which depends on {}", release.chart, engines::kOperatorChart)
                    : secrets::without_url_credentials(release.chart),
                one.version.empty() ? "" : " ", one.version))
            .expected("the operator or tailrender's controller, not both")
            .hint(hint_of(one, is_replaced));
    }

    [[nodiscard]] std::string hint_of(const Found& one, bool is_replaced) const {
        if (is_replaced) {
            return "in a complete output the controller replaces it; with --only generated, remove "
                   "it from the sources";
        }
        if (one.is_dependency && !is_complete(one)) {
            return "remove the dependency when the output is applied; docs/migration.md has the "
                   "order";
        }
        return is_complete(one)
                   ? "remove it from this file; \"tailrender install\" prints the controller"
                   : "remove it when the output is applied; docs/migration.md has the order";
    }

    const repo::SourceTree& tree_;
    const engines::Selection& selection_;
    const repo::LoadOptions& options_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    std::vector<Found> found_;
    InstalledCharts known_;  // charts that were taken already
    InstalledOperators operators_;
};

}  // namespace

InstalledOperators find_operator_release(const repo::SourceTree& tree,
                                         const engines::Selection& selection,
                                         const repo::LoadOptions& options, Loaded& loaded,
                                         Diagnostics& diagnostics) {
    return OperatorSearch(tree, selection, options, loaded, diagnostics).run();
}

}  // namespace renderer::load
