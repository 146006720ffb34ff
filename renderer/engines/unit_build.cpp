#include "renderer/engines/unit_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/engines/argo/application_charts.h"
#include "renderer/engines/engine_groups.h"
#include "renderer/engines/flux/flux_units.h"
#include "renderer/engines/flux/helm_release.h"
#include "renderer/engines/flux/resource_set.h"
#include "renderer/engines/flux/source_key.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/helm/chart_values.h"
#include "renderer/engines/helm/inflated_tree.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/engines/standing.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

// Merges changes into a map: lists are appended, maps are merged, other values are replaced.
void merge_changes(const Value& changes, Value& root) {
    for (const Member& change : changes.members()) {
        Value* known = root.find(change.name());
        if (known != nullptr && known->is_list() && change.value.is_list()) {
            for (const Value& item : change.value.items()) {
                known->append(item.clone());
            }
        } else if (known != nullptr && known->is_map() && change.value.is_map()) {
            merge_changes(change.value, *known);
        } else {
            root.put(change.key.clone(), change.value.clone());
        }
    }
}

// Makes a kustomization for a directory without one.
Value generated_kustomization(const BuildUnit& unit) {
    Value resources = Value::list();
    for (const std::vector<std::string>* paths : {&unit.builds, &unit.manifests}) {
        for (const std::string& path : *paths) {
            resources.append(repo::relative_path(path, unit.dir));
        }
    }
    return Value::map({{"apiVersion", kKustomizationVersion},
                       {"kind", "Kustomization"},
                       {"resources", std::move(resources)}});
}

void set_namespace(Value& object, const std::string& ns) {
    Value* metadata = object.find("metadata");
    if (!ns.empty() && metadata != nullptr && metadata->is_map()) {
        metadata->put("namespace", ns);
    }
}

bool is_engine_object(const Value& root) {
    return is_kind(root, kFluxGroup, "Kustomization") || is_kind(root, kArgoGroup, "Application") ||
           is_kind(root, kArgoGroup, "ApplicationSet") || is_resource_set(root);
}

bool names_repository(const Value& values) {
    return std::ranges::any_of(members_of(&values),
                               [](const Member& member) {
                                   return member.name() == "repoURL" ||
                                          names_repository(member.value);
                               }) ||
           std::ranges::any_of(items_of(&values), names_repository);
}

void set_missing_namespace(Value& object, const std::string& ns) {
    if (text_of(object, {"metadata", "namespace"}).empty()) {
        set_namespace(object, ns);
    }
}

// True if a kustomization may change objects of engines other than by a namespace.
bool may_change_units(const Value& kustomization) {
    constexpr auto kHarmless = std::to_array<std::string_view>(
        {"apiVersion", "kind", "metadata", "resources", "namespace", "configMapGenerator",
         "secretGenerator", "generatorOptions", "images", "labels", "commonLabels", "replicas",
         "helmCharts", "helmGlobals", "crds", "configurations", "openapi", "buildMetadata",
         "sortOptions"});
    return std::ranges::any_of(members_of(&kustomization), [&](const Member& field) {
        const std::span<const Value> items = items_of(&field.value);
        if (field.name() == "patches" || field.name() == "patchesJson6902") {
            return std::ranges::any_of(items, may_change_unit);
        }
        if (field.name() == "patchesStrategicMerge") {
            return std::ranges::any_of(items, [](const Value& patch) {
                return may_change_unit(Value::map({{"patch", patch.clone()}}));
            });
        }
        if (field.name() == "commonAnnotations") {
            return std::ranges::any_of(members_of(&field.value), [](const Member& annotation) {
                return annotation.name().find("fluxcd.io") != std::string_view::npos ||
                       annotation.name().find("argoproj.io") != std::string_view::npos;
            });
        }
        return std::ranges::find(kHarmless, field.name()) == kHarmless.end();
    });
}

void keep_engine_objects(std::vector<EngineObject>& objects) {
    std::erase_if(objects,
                  [](const EngineObject& object) { return !is_engine_object(object.root); });
}

}  // namespace

bool may_change_unit(const Value& patch) {
    const std::string_view kind = kind_of_patch(patch);
    const bool moves_instance =
        kind == "HelmRelease" && text_of(patch, {"patch"}).find("sync") != std::string_view::npos;
    return may_matter(patch, false) || is_source_kind(kind) || kind == "FluxInstance" ||
           moves_instance;
}

UnitTree::UnitTree(const repo::SourceTree& tree, KustomizationReader& reader, SourceMap& sources,
                   const BuildUnit& unit)
    : tree_(unit.artifact ? unit.artifact->tree : tree),
      reader_(unit.artifact ? unit.artifact->reader : reader),
      builds_(unit.builds),
      manifests_(unit.manifests) {
    if (!unit.changes || (builds_.empty() && manifests_.empty())) {
        return;
    }
    const Kustomization* file = reader_.find(unit.dir);
    const bool has_own = file != nullptr && !unit.ignores_kustomization;
    if (has_own && !file->root.is_map()) {
        return;
    }
    Value root = has_own ? file->root.clone() : generated_kustomization(unit);
    merge_changes(*unit.changes, root);
    std::string text;
    write_yaml(root, text);
    overlay_ = std::make_unique<repo::OverlayTree>(
        tree_,
        std::map<std::string, std::string>{
            {has_own ? file->path : repo::join_path(unit.dir, repo::kKustomizationNames.front()),
             std::move(text)}});
    own_reader_ =
        std::make_unique<KustomizationReader>(*overlay_, sources, std::string(), reader_.local());
    builds_ = {unit.dir};
    manifests_.clear();
}

bool needs_kustomize(const Diagnostics& found) {
    return std::ranges::all_of(found.all(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity != Severity::Error || diagnostic.rule == "not-supported" ||
               diagnostic.rule == "remote-resource" || diagnostic.rule == "missing-secret";
    });
}

const KustomizeProgram& UnitBuilder::program() {
    if (!program_) {
        program_ = kustomize_at(kustomize_);
    }
    return *program_;
}

KustomizeJob UnitBuilder::job_of(const UnitTree& view, BuildFiles files, const std::string& dir,
                                 const BuildUnit& unit) const {
    return {view.tree(), view.reader(), std::move(files), repository_.root(), dir, unit.loads_any};
}

std::optional<UnitBuilder::Attempt> UnitBuilder::attempt(const UnitTree& view,
                                                         const std::string& dir,
                                                         const BuildUnit& unit) {
    Attempt out{.read = find_build_files(view.tree(), view.reader(), repository_.root(), dir)};
    out.may_inflate = std::ranges::any_of(
        out.read.paths, [&](const std::string& path) { return repository_.may_make_units(path); });
    const auto holds_units = [&](const std::string& path) {
        return repository_.is_unit_file(path);
    };
    if (!out.may_inflate && std::ranges::none_of(out.read.paths, holds_units)) {
        return std::nullopt;
    }
    run_build(
        {view.tree(), sources_, view.reader(), out.made, out.found,
         unit.loads_any ? repository_.root() : std::string()},
        {.dir = dir, .boundary = {}, .bundle_dir = repository_.root(), .bundle = 0, .rule = {}});
    if (out.found.has_errors()) {
        out.is_refused = unit.is_flux && find_helm_charts(view.tree(), view.reader(), dir).known();
        out.needs_program = !out.is_refused && needs_kustomize(out.found) &&
                            kustomize_ != repo::kNoProgram && !out.read.leaves_root;
    }
    return out;
}

void UnitBuilder::run_ahead(const std::vector<BuildUnit>& units,
                            const std::vector<std::size_t>& which) {
    std::vector<KustomizeJob> jobs;
    for (const std::size_t index : which) {
        const BuildUnit& unit = units[index];
        // Results of a unit with changes would be kept in a reader that is destroyed with `view`.
        if (kustomize_ == repo::kNoProgram || unit.chart || unit.changes) {
            continue;
        }
        const UnitTree view(repository_.tree(), reader_, sources_, unit);
        for (const std::string& dir : view.builds()) {
            std::optional<Attempt> tried = attempt(view, dir, unit);
            if (tried && tried->needs_program && !tried->may_inflate) {
                jobs.push_back(job_of(view, std::move(tried->read), dir, unit));
            }
        }
    }
    if (jobs.size() > 1) {
        run_kustomize_ahead(program(), jobs, threads_, *steps_);
    }
}

void UnitBuilder::build(const UnitTree& view, const std::string& dir, const BuildUnit& unit,
                        EngineObjects& out) {
    const std::optional<Attempt> tried = attempt(view, dir, unit);
    if (!tried) {
        return;
    }
    const BuildFiles& read = tried->read;
    const auto take = [&](const std::string& path, const std::string& ns) {
        for (EngineObject& object : repository_.objects_in(path)) {
            set_namespace(object.root, ns);
            out.objects.push_back(std::move(object));
        }
    };
    if (!tried->found.has_errors()) {
        for (const InputFile& file : tried->made.files) {
            take(file.path, tried->made.rules[file.rule].overwrite);
        }
        return;
    }
    std::string why(tried->is_refused ? kFluxHasNoHelm : kNoKustomize);
    if (tried->needs_program) {
        const KustomizeJob job = job_of(view, read, dir, unit);
        Result<KustomizeBuild> made =
            tried->may_inflate ? inflate(job, out) : run_kustomize(program(), job);
        if (made) {
            if (!tried->may_inflate) {
                keep_kustomize_build(job, *made);  // also used to select its inputs
            }
            std::ranges::move(objects_of(job, std::move(*made)), std::back_inserter(out.objects));
            return;
        }
        why = std::move(made.error().diagnostic.found);
    }
    if (!tried->is_refused) {
        note_charts(view.reader(), read, why, out);
    }
    for (const std::string& path : read.paths) {
        if (!repository_.may_make_units(path)) {
            take(path, {});
        }
    }
    out.assumed = out.assumed.empty() ? why : out.assumed;
    out.may_differ = out.may_differ || std::ranges::any_of(read.paths, [&](const auto& path) {
                         const Kustomization* file = view.reader().find_file(path);
                         return file != nullptr && may_change_units(file->root);
                     });
}

// Returns the objects of a build, with the files that they are from.
std::vector<EngineObject> UnitBuilder::objects_of(const KustomizeJob& job,
                                                  KustomizeBuild build) const {
    std::vector<EngineObject> objects =
        repository_.read("kustomize build " + job.dir, std::move(build.stream));
    for (EngineObject& object : objects) {
        const DocumentOrigin* origin =
            origin_at(build.origins, sources_.offset_of(object.root.pos()));
        if (origin != nullptr && job.tree.kind(origin->file) == repo::EntryKind::File) {
            object.file = origin->file;
        }
    }
    return objects;
}

Result<std::vector<EngineObject>> UnitBuilder::patched_objects(const repo::SourceTree& tree,
                                                               KustomizationReader& reader,
                                                               const std::string& dir) {
    BuildFiles read = find_build_files(tree, reader, repository_.root(), dir);
    const bool may_change = std::ranges::any_of(read.paths, [&](const std::string& path) {
        const Kustomization* file = reader.find_file(path);
        return file != nullptr && may_change_units(file->root);
    });
    if (!may_change) {
        return std::vector<EngineObject>();
    }
    if (kustomize_ == repo::kNoProgram || read.leaves_root) {
        return Error{{.found = std::string(kNoKustomize)}};
    }
    const KustomizeJob job{tree, reader, std::move(read), repository_.root(), dir, true};
    KustomizeBuild made = TRY(run_kustomize(program(), job));
    keep_kustomize_build(job, made);
    return objects_of(job, std::move(made));
}

// Renders the charts of the build that are available, and runs kustomize with them.
Result<KustomizeBuild> UnitBuilder::inflate(const KustomizeJob& job, EngineObjects& out) {
    const InflatedTree inflated(job.tree, job.reader, job.files, job.root, sources_,
                                program().version.get(), charts_, may_hold_engine);
    const repo::SourceTree& tree = inflated.has_charts() ? inflated.tree() : job.tree;
    KustomizationReader& reader = inflated.has_charts() ? inflated.reader() : job.reader;
    const BuildFiles files = find_build_files(tree, reader, job.root, job.dir);
    std::string why = "it is not in this repository";
    for (const Diagnostic& failure : inflated.failures) {
        why = failure.found.empty() ? failure.message : failure.found;
    }
    note_charts(reader, files, why, out);
    return run_kustomize(program(), {tree, reader, files, job.root, job.dir, job.loads_any});
}

// Records a chart that may make Applications: its values name a repository, or one of its values
// files or templates may make units.
void UnitBuilder::note_charts(KustomizationReader& reader, const BuildFiles& files,
                              const std::string& why, EngineObjects& out) const {
    const auto makes_units = [&](const std::string& path) {
        return repository_.may_make_units(path);
    };
    for (const std::string& path : files.paths) {
        const Kustomization* file = reader.find_file(path);
        for (const Value& chart :
             items_of(file == nullptr ? nullptr : file->root.find("helmCharts"))) {
            const std::string_view name = text_of(chart, {"name"});
            std::vector<std::string> given = {std::string(text_of(chart, {"valuesFile"}))};
            for (const Value& more : items_of(chart.find("additionalValuesFiles"))) {
                given.emplace_back(text_of(more));
            }
            for (std::string& values : given) {
                values = repo::normal_path(repo::join_path(file->dir, values));
            }
            for (const std::string& one : files.paths) {
                if (one.find(fmt::format("/{}/templates/", name)) != std::string::npos) {
                    given.push_back(one);
                }
            }
            if (names_repository(chart) || std::ranges::any_of(given, makes_units)) {
                out.chart = name;
                out.why = why;
            }
        }
    }
}

// Returns the text of a key of a ConfigMap in the tree.
HeldText UnitBuilder::held_text(const VariableSource& wanted, std::string_view key) const {
    const Value* found = repository_.variable_sources().find(wanted);
    const Value* text = found == nullptr ? nullptr : found->at({"data", key});
    return {.is_there = found != nullptr, .text = text == nullptr ? Value() : text->clone()};
}

Result<std::vector<EngineObject>> UnitBuilder::chart_objects(const BuildUnit& unit) {
    std::vector<EngineObject> objects;
    const bool may_hold = std::ranges::any_of(unit.claims, [&](const std::string& path) {
        const Result<std::string> text = repository_.tree().read(path);
        return text && may_hold_engine(*text);
    });
    if (!may_hold) {
        return objects;
    }
    const Value& installs = unit.chart->application;
    const std::string_view ns = text_of(installs, {"metadata", "namespace"});
    const bool is_flux = is_kind(installs, kHelmGroup, "HelmRelease");
    ChartRelease release =
        is_flux ? release_of_helm_release(installs, ns)
                : chart_release_of_source(installs, ns, unit.chart->source, sources_);
    release.dir = unit.dir;
    release.files_dir = is_flux ? repository_.root() : unit.dir;
    const ChartValues values = chart_values(
        repository_.tree(), repository_.root(), release, sources_, [&](const ValuesSource& source) {
            return held_text({source.name, ns, sources_.locate(installs.pos()).path}, source.key);
        });
    const auto error = [&](std::string_view found) {
        return Error{{.rule = "roots-in-chart",
                      .where = unit.dir,
                      .message = "the objects of Argo CD or Flux that a chart makes are not known",
                      .found = std::string(found)}};
    };
    // The engine fails at values that are missing, or has them.
    const auto unread = std::ranges::find_if(values.unread, [](const UnreadValues& one) {
        return one.kind != Unread::Optional && one.target.empty();
    });
    if (!values.lacking.empty() || unread != values.unread.end()) {
        return error(!values.lacking.empty() ? values.lacking : unread->diagnostic.found);
    }
    const std::optional<std::string> text =
        TRY(charts_.render(release, values.layers, may_hold_engine));
    if (!text) {
        return error(release.unknown.empty() ? kNoHelm : std::string_view(release.unknown));
    }
    objects = repository_.read(fmt::format("{}{}", kHelmTemplate, unit.dir), *text);
    keep_engine_objects(objects);
    for (EngineObject& object : objects) {
        object.file = unit.dir;
        set_missing_namespace(object.root, release.ns);
    }
    return objects;
}

void report_assumed(const BuildUnit& unit, Severity severity, Diagnostics& diagnostics) {
    diagnostics
        .say(severity, "assumed-units", {},
             fmt::format("{} cannot be built: its files are read without a build", unit.name))
        .where(unit.dir)
        .found(unit.unbuilt)
        .expected("no patch that suspends, moves or changes an object of Flux or Argo CD")
        .hint(unit.unbuilt.empty() ? "install kustomize, or name one with --kustomize"
                                   : "fix the error: until then nothing of it is applied");
}

EngineObjects UnitBuilder::engine_objects(const BuildUnit& unit) {
    const UnitTree view(repository_.tree(), reader_, sources_, unit);
    EngineObjects out;
    std::vector<EngineObject>& objects = out.objects;
    for (const std::string& dir : view.builds()) {
        build(view, dir, unit, out);
    }
    for (const std::string& path : view.manifests()) {
        if (repository_.is_unit_file(path) || repository_.may_make_units(path)) {
            std::ranges::move(repository_.objects_in(path), std::back_inserter(objects));
        }
    }
    keep_engine_objects(objects);
    for (EngineObject& object : objects) {
        if (unit.variables) {
            Diagnostics discarded;  // reported where the file itself is checked
            substitute_object(object.root, *unit.variables, false, false, discarded);
        }
        set_namespace(object.root, unit.target_namespace);
        set_missing_namespace(object.root, unit.fallback_namespace);
    }
    return out;
}

}  // namespace renderer::engines
