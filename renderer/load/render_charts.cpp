#include "renderer/load/render_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/deciding_variables.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/helm/chart_templates.h"
#include "renderer/engines/standing.h"
#include "renderer/load/documents.h"
#include "renderer/load/encrypted_inputs.h"
#include "renderer/load/kept_documents.h"
#include "renderer/load/namespaces.h"
#include "renderer/load/refused_releases.h"
#include "renderer/load/release_objects.h"
#include "renderer/load/splice.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/user_program.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

namespace {

// Returns the documents that are inputs, and Services that inputs may refer to. Other objects of a
// chart are not checked.
std::string objects_of_interest(std::string_view stream, const repo::TextTest& is_input) {
    constexpr std::string_view kSeparator = "\n---";
    std::string out;
    for (std::size_t begin = 0; begin < stream.size();) {
        const std::size_t end = std::min(stream.find(kSeparator, begin + 1), stream.size());
        const std::string_view part = stream.substr(begin, end - begin);
        if (is_input(part) || part.find("kind: Service") != std::string_view::npos) {
            out += part;
        }
        begin = end;
    }
    return out.empty() ? out : out + "\n";
}

constexpr auto kAll = [](std::string_view) { return true; };

class ChartRenderer {
public:
    ChartRenderer(const repo::SourceTree& tree, engines::Selection& selection,
                  const repo::LoadOptions& options, Loaded& loaded, Diagnostics& diagnostics)
        : tree_(tree),
          selection_(selection),
          options_(options),
          loaded_(loaded),
          diagnostics_(diagnostics),
          charts_(tree, options) {
        if (is_complete()) {
            matters_ = kAll;
        }
    }

    RenderedCharts run(const InstalledCharts& others) {
        find_wanted_services();
        std::vector<engines::ChartRelease> releases = releases_of_documents();
        std::ranges::move(selection_.releases, std::back_inserter(releases));
        options_.steps->begin("rendering charts", releases.size());
        for (engines::ChartRelease& release : releases) {
            if (!others.contains({release.object, release.chart})) {
                (add(release) ? rendered_.objects : left_).insert(release.object);
                loaded_.standings.all.push_back(std::move(standing_));
            }
            options_.steps->done();
        }
        add_documents();
        return std::move(rendered_);
    }

    // Renders the charts with the operator whose release was cut out of a complete tree.
    RenderedCharts run(const std::vector<ReplacedChart>& replaced) {
        for (const ReplacedChart& one : replaced) {
            bundle_ = loaded_.documents[one.document].bundle;
            if (!add(one.release) && !is_reported_) {
                report(one.release, Error{{.rule = "chart-not-usable",
                                           .message = "objects of this chart would be lost",
                                           .found = standing_.reason,
                                           .expected = "helm, which renders what the chart makes "
                                                       "besides the operator",
                                           .hint = "--helm PROGRAM names one"}});
            }
        }
        add_documents();
        check_edits(loaded_.sources, loaded_.edits, diagnostics_);
        return std::move(rendered_);
    }

    // Notes all releases as not rendered.
    void note_left(const InstalledCharts& others) {
        for (const engines::ChartRelease& release : releases_of_documents()) {
            note_left(release, others);
        }
        for (const engines::ChartRelease& release : selection_.releases) {
            note_left(release, others);
        }
        add_left_files();
    }

private:
    // Finds the namespaces where an Ingress input refers to a port by name, and no document is the
    // Service. The number of the port is only in the Service.
    void find_wanted_services() {
        std::set<std::pair<std::string_view, std::string_view>> known;
        for (const Document& document : loaded_.documents) {
            if (text_of(document.kind) == "Service") {
                known.emplace(document.effective_namespace, text_of(document.name));
            }
        }
        for (const Document& document : loaded_.documents) {
            if (!document.reachable || !document.mentions_tailscale ||
                text_of(document.kind) != "Ingress") {
                continue;
            }
            Diagnostics discarded;
            const Value root = read_document(loaded_, document, discarded);
            std::vector<const Value*> backends = {root.at({"spec", "defaultBackend"})};
            for (const Value& rule : items_of(root.at({"spec", "rules"}))) {
                for (const Value& path : items_of(rule.at({"http", "paths"}))) {
                    backends.push_back(path.find("backend"));
                }
            }
            for (const Value* backend : backends) {
                const Value* service = backend == nullptr ? nullptr : backend->find("service");
                if (service != nullptr && !text_of(*service, {"port", "name"}).empty() &&
                    !known.contains({document.effective_namespace, text_of(*service, {"name"})})) {
                    wanted_.emplace(document.effective_namespace);
                }
            }
        }
    }

    void add_documents() {
        for (const std::string& dir : left_dirs_) {
            rendered_.files.erase(dir);
        }
        add_left_files();
        // An Application with several charts is only rendered if all its charts are.
        std::erase_if(rendered_.objects,
                      [&](const std::string& object) { return left_.contains(object); });
        const std::vector<std::uint32_t> file_of =
            read_documents(tree_, files_, options_, loaded_, diagnostics_);
        apply_namespaces(files_, file_of, selection_.rules, loaded_, diagnostics_);
        mark_kept(files_, file_of, options_.skip_suspended, loaded_, diagnostics_);
        note_units(files_, file_of, loaded_);
        if (!files_.empty()) {
            loaded_.helm_version = charts_.version();
        }
        rendered_.objects.merge(selection_.rendered_charts);
        rendered_.files.merge(selection_.rendered_files);
    }

    // Adds files of charts that are not rendered, wherever they are in the tree, to the search for
    // exposures.
    void add_left_files() {
        std::set<std::string> known;
        for (const engines::ChartFile& file : selection_.chart_files) {
            known.insert(file.path);
        }
        for (const std::string& dir : left_dirs_) {
            if (!dir.empty() &&
                tree_.kind(repo::join_path(dir, engines::kChartFile)) == repo::EntryKind::File) {
                add_left_files(dir, 0, known);
            }
        }
    }

    void add_left_files(const std::string& dir, int depth, std::set<std::string>& known) {
        constexpr int kDeepestFolder = 16;
        const Result<std::vector<repo::Entry>> entries = tree_.list(dir);
        for (const repo::Entry& entry : entries ? *entries : std::vector<repo::Entry>()) {
            std::string path = repo::join_path(dir, entry.name);
            if (entry.is_link || entry.name.starts_with('.')) {
                continue;
            }
            if (entry.kind == repo::EntryKind::Directory && depth < kDeepestFolder) {
                add_left_files(path, depth + 1, known);
            } else if (entry.kind == repo::EntryKind::File && engines::is_chart_text(entry.name) &&
                       known.insert(path).second) {
                selection_.chart_files.push_back(
                    {.path = std::move(path), .in_chart = true, .is_applied = false});
            }
        }
    }

    void note_left(const engines::ChartRelease& release, const InstalledCharts& others) {
        if (!others.contains({release.object, release.chart})) {
            loaded_.standings.all.push_back(
                release_standing(release.object, engines::Liveness::Unknown,
                                 "no helm is run (--helm none)", *release.unit));
            left_dirs_.insert(release.dir);
        }
    }

    std::vector<engines::ChartRelease> releases_of_documents() {
        std::vector<engines::ChartRelease> found;
        for (const Document& document : loaded_.documents) {
            const std::string_view kind = text_of(document.kind);
            const bool is_release = kind == "HelmRelease" || kind == "HelmChart";
            const bool is_of_flux = text_of(document.api_version).starts_with(engines::kHelmGroup);
            if (!document.reachable || (!is_release && !is_of_flux)) {
                continue;
            }
            Diagnostics said;
            const Value object = read_document(loaded_, document, said);
            if (is_of_flux) {
                std::optional<Diagnostic> fault = note_refused_release(
                    document, object, said.has_errors(), loaded_, diagnostics_);
                if (fault) {
                    faults_.emplace(document.object_name(), std::move(*fault));
                }
            }
            if (!is_release) {
                continue;
            }
            for (engines::ChartRelease& release : releases_of(
                     document, object, options_.path, selection_.foreign_sources, loaded_)) {
                if (release.is_suspended && release.kept.empty()) {
                    release.kept = fmt::format("{}: spec.suspend is true", release.object);
                }
                if (release.is_suspended && options_.skip_suspended) {
                    loaded_.standings.all.push_back(release_standing(
                        release.object, engines::Liveness::Kept, release.kept, *release.unit));
                    continue;
                }
                found.push_back(std::move(release));
            }
        }
        return found;
    }

    // Renders a release. Returns false if what it exposes is not known.
    bool add(const engines::ChartRelease& release) {
        standing_ = release_standing(
            release.object,
            release.kept.empty() ? engines::Liveness::Applied : engines::Liveness::Kept,
            release.kept, *release.unit);
        is_reported_ = false;
        const engines::ChartValues values = chart_values(tree_, options_.path, release, loaded_);
        const auto leave = [&](std::string_view why) {
            standing_.liveness = engines::Liveness::Unknown;
            standing_.reason = why;
            standing_.may_expose = !values.unread.empty() ||
                                   engines::any_matters(values.layers, matters_) ||
                                   !release.dir.empty();
            for (const Value& layer : values.layers) {
                write_yaml(layer, standing_.values);
            }
        };
        if (release.kept.empty()) {
            note_unread_values(values);
            const engines::UnitVariables* variables = release.unit->variables.get();
            if (standing_.reason.empty() && variables != nullptr &&
                engines::any_matters(values.layers, [&](std::string_view text) {
                    return engines::has_unknown_variable(text, *variables);
                })) {
                standing_.reason = "a variable in its values is not known";
            }
        }
        // The engine removes nothing if helm fails at a chart that gave devices before.
        const bool gave_devices = options_.earlier_units.contains(
            engines::unit_of_object(*release.unit, release.object, release.kept).path);
        Result<std::optional<std::string>> text =
            values.lacking.empty() ? charts_.render(release, values.layers, matters_, gave_devices)
                                   : Result(std::optional<std::string>());
        const bool is_left = charts_.is_left();
        const bool is_of_interest = text && *text && !release.dir.empty();
        if (!text) {
            leave(text.error().diagnostic.message);
            report(release, std::move(text.error()));
        } else if (!*text && values.lacking.empty() && !is_left && wanted_.contains(release.ns)) {
            // The chart has no inputs, so a missing value is not an error; but it may have the
            // Service.
            text = charts_.render(release, values.layers, kAll);
            if (!text) {
                leave(text.error().diagnostic.message);
                text = std::optional<std::string>();
            }
        }
        std::string lacking = values.lacking.empty() ? release.unknown : values.lacking;
        if (text && *text && encrypts_exposure(**text)) {
            lacking = "a class or an annotation of its objects, which SOPS encrypts in its values";
            text = std::optional<std::string>();
        }
        if (!lacking.empty()) {
            leave(lacking);
        } else if (text && !*text) {
            const std::string why = is_left && options_.helm == repo::kNoProgram ? "no helm is run"
                                    : is_left ? "its chart is not in this repository"
                                    : !charts_.failure().empty() ? charts_.failure()
                                                                 : standing_.reason;
            if (!why.empty()) {
                leave(why);
            }
            if (release.kept.empty() && may_be_class(release, values.layers)) {
                warn_of_unknown_values(release);
            }
        }
        if (!lacking.empty() && engines::any_matters(values.layers, matters_)) {
            report(release, Error{{.rule = "chart-not-usable",
                                   .message = "this chart is not rendered",
                                   .found = lacking,
                                   .expected = "everything that the result depends on, in the tree",
                                   .hint = "helm template CHART | tailrender post-render"}});
        }
        if (!text || !*text) {
            note_earlier_objects(release, values);
            left_dirs_.insert(release.dir);
            return false;
        }
        if (!standing_.reason.empty() && release.kept.empty()) {
            standing_.unit = release.unit->path;
        }
        note_packed_version(tree_, release, values, loaded_);
        rendered_.files.insert(values.files.begin(), values.files.end());
        if (!release.dir.empty()) {
            rendered_.files.insert(release.dir);
        }
        std::string objects =
            is_complete() ? std::move(**text) : objects_of_interest(**text, matters_);
        if (is_of_interest && objects.empty() && release.kept.empty() &&
            !standing_.reason.empty()) {
            warn_of_unknown_values(release);
        }
        note_earlier_objects(release, values);
        if (charts_.cluster_condition() && release.kept.empty() && !is_complete()) {
            warn_of_unknown(release, "what is in the cluster", *charts_.cluster_condition(),
                            "a template that does not ask the cluster whether to expose something",
                            "write the Service or the Ingress yourself");
        }
        if (const auto fault = faults_.find(release.object);
            fault != faults_.end() && !objects.empty() && release.kept.empty()) {
            diagnostics_.add(fault->second);
        }
        if (!objects.empty()) {
            files_.push_back(
                {.path = fmt::format("{}{}", engines::kHelmTemplate, release.object),
                 .bundle_path = path_of(release),
                 .text = std::move(objects),
                 .is_chart = true,
                 .bundle = bundle_,
                 .rule = selection_.add_rule({.fallback = release.ns, .edits = is_complete()}),
                 .unit = std::make_shared<const engines::AppliedUnit>(
                     engines::unit_of_object(*release.unit, release.object, release.kept))});
        }
        return true;
    }

    [[nodiscard]] bool is_complete() const { return !options_.only_generated; }

    // Returns the path of the rendered chart in the output.
    [[nodiscard]] std::string path_of(const engines::ChartRelease& release) const {
        const std::string& dir = loaded_.bundles[bundle_].dir;
        return is_complete()
                   ? repo::join_path(
                         repo::relative_path(
                             release.dir, repo::normal_path(repo::join_path(options_.path, dir))),
                         fmt::format("helm-template-{}.yaml", repo::base_name(release.object)))
                   : fmt::format("_charts/{}.yaml", release.object);
    }

    // One unknown value rarely decides whether an object exists; a whole unknown layer may, and so
    // does a value that enables a part of the chart, or that names Tailscale.
    void note_unread_values(const engines::ChartValues& values) {
        for (const engines::UnreadValues& one : values.unread) {
            const std::string& why =
                one.diagnostic.found.empty() ? one.diagnostic.message : one.diagnostic.found;
            if (one.kind == engines::Unread::Refused) {
                standing_.liveness = engines::Liveness::Broken;
                standing_.reason = fmt::format("helm refuses its values: {}", why);
                return;
            }
            if (one.target.empty() || one.target.ends_with("enabled") || matters_(one.target)) {
                standing_.reason = why;
            }
        }
    }

    // Notes that the cluster may still have what the release gave before.
    void note_earlier_objects(const engines::ChartRelease& release,
                              const engines::ChartValues& values) {
        if (standing_.reason.empty() && release.kept.empty()) {
            standing_.reason =
                charts_.cluster_condition()
                    ? fmt::format("a template asks the cluster ({})", *charts_.cluster_condition())
                    : values.kept;
            standing_.may_expose = false;  // nothing that is new
        }
    }

    // True if a variable of Flux whose value is not known may be a class.
    [[nodiscard]] bool may_be_class(const engines::ChartRelease& release,
                                    const std::vector<Value>& layers) const {
        const engines::UnitVariables* variables = release.unit->variables.get();
        return variables != nullptr && engines::any_matters(layers, [&](std::string_view text) {
                   return engines::may_be_input_by_variable(text, *variables, options_.input_words);
               });
    }

    void warn_of_unknown_values(const engines::ChartRelease& release) {
        warn_of_unknown(release, "values that are not known", standing_.reason,
                        "values in the tree, in plain text, that decide what is exposed",
                        "move what is not secret to spec.values or a ConfigMap of the tree");
    }

    // Warns of a chart that may expose more than what was rendered.
    void warn_of_unknown(const engines::ChartRelease& release, std::string_view what,
                         const std::string& found, std::string_view expected,
                         std::string_view hint) {
        ++loaded_.hidden_exposures;
        diagnostics_
            .warning("hidden-exposure", release.pos,
                     fmt::format("this chart may expose something, depending on {}", what))
            .object(release.object)
            .found(found)
            .expected(expected)
            .hint(hint);
    }

    void report(const engines::ChartRelease& release, Error error) {
        Diagnostic& diagnostic = error.diagnostic;
        is_reported_ = true;
        diagnostic.severity = is_complete() ? Severity::Error : engines::severity_of(diagnostic);
        diagnostic.object = release.object;
        diagnostic.pos = release.pos;
        diagnostics_.add(std::move(diagnostic));
    }

    const repo::SourceTree& tree_;
    engines::Selection& selection_;
    const repo::LoadOptions& options_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    engines::ChartTemplates charts_;
    std::vector<engines::InputFile> files_;
    RenderedCharts rendered_;
    std::map<std::string, Diagnostic> faults_;  // of releases, if they make inputs
    std::set<std::string> left_, left_dirs_;
    engines::Standing standing_;  // the release that was added last
    bool is_reported_ = false;
    repo::TextTest matters_ = [this](std::string_view text) {
        return repo::mentions_input(text, options_.input_words);
    };
    std::set<std::string, std::less<>> wanted_;  // namespaces of Services that charts may make
    std::uint32_t bundle_ = 0;
};

}  // namespace

RenderedCharts render_charts(const repo::SourceTree& tree, engines::Selection& selection,
                             const InstalledOperators& operators, const repo::LoadOptions& options,
                             Loaded& loaded, Diagnostics& diagnostics) {
    loaded.helm_version = selection.helm_version;
    ChartRenderer renderer(tree, selection, options, loaded, diagnostics);
    RenderedCharts charts;
    if (!options.only_generated && !operators.replaced.empty()) {
        charts = renderer.run(operators.replaced);
    } else if (options.only_generated && options.helm != repo::kNoProgram) {
        charts = renderer.run(operators.alone);
    } else {
        if (options.only_generated) {
            renderer.note_left(operators.alone);
        }
        charts = {.objects = selection.rendered_charts, .files = selection.rendered_files};
    }
    charts.lacks_helm = options.helm.empty();
    return charts;
}

}  // namespace renderer::load
