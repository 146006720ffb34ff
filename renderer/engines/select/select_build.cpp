#include "renderer/engines/select/select_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/flux/substitute.h"
#include "renderer/engines/helm/inflated_tree.h"
#include "renderer/engines/kustomize/exposing_patches.h"
#include "renderer/engines/unit_build.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

std::string build_name(const repo::WalkedDir& dir) {
    return fmt::format("kustomize build {}", dir.relative.empty() ? "." : dir.relative);
}

// Says which unit applies a kustomization that cannot be built, and what it adds to it: that may be
// the fault.
void name_unit(const PlainBuild& build, Diagnostic& failure) {
    const std::string& unit = build.unit->name;
    if (unit.empty()) {
        return;
    }
    failure.message += fmt::format(", which {} applies", unit);
    if (build.changes != nullptr) {
        failure.hint += fmt::format(", with what {} adds to its kustomization.yaml", unit);
    }
    for (const Member& change : members_of(build.changes)) {
        const std::span<const Value> items = items_of(&change.value);
        const Value& first = items.empty() ? change.value : items.front();
        failure.notes.push_back(
            {.pos = first.pos(), .text = fmt::format("{} adds \"{}\"", unit, change.name())});
    }
}

}  // namespace

KustomizeJob BuildSelection::job_of(const PlainBuild& build, BuildFiles files) const {
    return {build.tree,    build.reader,   std::move(files),
            context_.root, build.dir.path, build.loads_any};
}

std::vector<std::string> BuildSelection::build_here(const PlainBuild& build, Selection& out,
                                                    Diagnostics& found) const {
    return run_build({build.tree, context_.build.sources, build.reader, out, found,
                      build.loads_any ? context_.root : std::string()},
                     {.dir = build.dir.path,
                      .boundary = {},
                      .bundle_dir = context_.root,
                      .bundle = bundle_,
                      .rule = build.rule});
}

void BuildSelection::run_ahead(const std::vector<PlainBuild>& builds) {
    if (context_.options.kustomize == repo::kNoProgram) {
        return;
    }
    std::vector<KustomizeJob> jobs;
    for (const PlainBuild& build : builds) {
        Selection scratch;
        Diagnostics found;
        build_here(build, scratch, found);
        if (!found.has_errors() || !needs_kustomize(found) || is_refused_by_flux(build)) {
            continue;
        }
        BuildFiles read = find_build_files(build.tree, build.reader, context_.root, build.dir.path);
        if (!read.leaves_root && !has_charts(build, read) &&
            !stay_check_.may_stay(build, read, found)) {
            jobs.push_back(job_of(build, std::move(read)));
        }
    }
    if (jobs.size() > 1) {
        run_kustomize_ahead(program(), jobs, context_.options.threads, *context_.options.steps);
    }
}

const KustomizeProgram& BuildSelection::program() {
    if (!program_) {
        program_ = kustomize_at(context_.options.kustomize);
    }
    return *program_;
}

std::vector<std::string> BuildSelection::run(const PlainBuild& build) {
    const std::size_t files = out_.files.size();
    const std::size_t generated = out_.generated.size();
    Diagnostics found;
    std::vector<std::string> visited = build_here(build, out_, found);
    for (std::size_t i = files; i < out_.files.size(); ++i) {
        out_.files[i].unit = build.unit;
    }
    if (build.unit->variables != nullptr) {
        for (Object& object : std::span(out_.generated).subspan(generated)) {
            Diagnostics discarded;
            substitute_object(object.root, *build.unit->variables, false, false, discarded);
        }
    }
    if (found.has_errors()) {
        const BuildFiles read =
            find_build_files(build.tree, build.reader, context_.root, build.dir.path);
        const bool stays = stay_check_.may_stay(build, read, found);
        const bool is_refused = is_refused_by_flux(build);
        if (is_refused && !stays) {
            refuse_charts(build);
            return visited;
        }
        if (is_refused) {
            note_broken(build, std::string(kFluxHasNoHelm));
        }
        if (stays || (needs_kustomize(found) && run_program(build, read))) {
            out_.files.resize(files);
            out_.generated.resize(generated);
            if (stays) {
                leave_alone(build, read, found);
                check_earlier(build, read, found);
            }
            std::ranges::transform(read.paths, std::back_inserter(visited), repo::parent_path);
            return visited;
        }
    }
    context_.build.diagnostics.append(needs_kustomize(found) &&
                                              context_.options.kustomize == repo::kNoProgram
                                          ? without_kustomize(build, found)
                                          : std::move(found));
    return visited;
}

bool BuildSelection::is_refused_by_flux(const PlainBuild& build) {
    return build.unit->is_flux &&
           find_helm_charts(build.tree, build.reader, build.dir.path).known();
}

// Reports the position in the user's file, because changes of the unit move it in the built file.
void BuildSelection::refuse_charts(const PlainBuild& build) const {
    const Pos pos = build.places == nullptr
                        ? find_helm_charts(build.tree, build.reader, build.dir.path)
                        : find_helm_charts(context_.build.tree, *build.places, build.dir.path);
    context_.build.diagnostics
        .error("broken-unit", pos,
               fmt::format("{} applies nothing because it cannot be built", build.unit->name))
        .where(build.dir.path)
        .found(kFluxHasNoHelm)
        .expected("a HelmRelease, which Flux renders")
        .hint(fmt::format("write a HelmRelease for the chart; --ignore {} leaves all of it out",
                          shell_word(build.dir.path)));
}

// Adds hints to install kustomize. A field that an engine adds to a kustomization is in no file of
// the user, so its error names the unit.
Diagnostics BuildSelection::without_kustomize(const PlainBuild& build,
                                              const Diagnostics& found) const {
    Diagnostics said;
    for (Diagnostic one : found.all()) {
        if (one.rule == "not-supported" && !one.hint.empty()) {
            const SourceMap& sources = context_.build.sources;
            const bool is_added =
                build.changes != nullptr && one.pos.known() &&
                context_.build.tree.kind(std::string(sources.path(sources.source_of(one.pos)))) ==
                    repo::EntryKind::Missing;
            one.hint = "install kustomize, which builds it then, or name it: --kustomize PROGRAM";
            if (is_added) {
                one.pos = {};
                one.where = build.unit->name;
            } else {
                one.hint += fmt::format("; or: kustomize build {} | tailrender post-render",
                                        shell_word(build.dir.path));
            }
        }
        said.add(std::move(one));
    }
    return said;
}

// Notes that the engine of the build's unit fails at it.
void BuildSelection::note_broken(const PlainBuild& build, std::string why) {
    out_.unbuilt.emplace(std::pair(build.unit->name, build.unit->cluster), std::move(why));
}

// Notes that a build fails whose unit gave devices before: then its engine removes none of them.
void BuildSelection::check_earlier(const PlainBuild& build, const BuildFiles& read,
                                   const Diagnostics& found) {
    // Charts may be at hand for the engine alone, so that a build with them says nothing.
    if (!context_.options.earlier_units.contains(build.unit->path) || has_charts(build, read)) {
        return;
    }
    if (!needs_kustomize(found)) {
        const auto error = std::ranges::find(found.all(), Severity::Error, &Diagnostic::severity);
        note_broken(build, error->message);
    } else if (context_.options.kustomize == repo::kNoProgram) {
        note_broken(build, "no kustomize is run to see whether it can be built");
    } else if (Result<KustomizeBuild> made =
                   renderer::engines::run_kustomize(program(), job_of(build, read));
               !made) {
        const Diagnostic& error = made.error().diagnostic;
        note_broken(build, error.found.empty() ? error.message : error.found);
    }
}

// Returns false if there is no program, if it would need files outside of the root, or if a
// complete tree would lack a part of the build.
bool BuildSelection::run_program(const PlainBuild& build, const BuildFiles& read) {
    if (context_.options.kustomize == repo::kNoProgram || read.leaves_root) {
        return false;
    }
    context_.options.steps->begin("building kustomizations", 1);
    Result<KustomizeBuild> made = run_kustomize(build, read);
    context_.options.steps->done();
    if (!made) {
        name_unit(build, made.error().diagnostic);
        context_.build.diagnostics.add(std::move(made.error().diagnostic));
        return true;
    }
    if (!made->left_out.empty() && !context_.options.only_generated) {
        return false;  // a complete tree must not lack it
    }
    for (const LeftOut& what : made->left_out) {
        // The operator's chart exposes nothing; its values are read as settings.
        const bool is_operator =
            what.is_chart && what.what == fmt::format("chart {}", kOperatorChart);
        if (!refused_.contains(what.pos) && !is_operator) {
            warn_left_out(what, !context_.options.helm.empty(), context_.build.diagnostics);
        }
        note_unbuilt(build, what);
    }
    left_alone_.insert(read.paths.begin(), read.paths.end());
    out_.kustomize_version = program().version.get();
    added.push_back({.path = build_name(build.dir),
                     .bundle_path = repo::join_path(build.dir.relative, "kustomize-build.yaml"),
                     .text = std::move(made->stream),
                     .made_of = {read.paths.begin(), read.paths.end()},
                     .origins = std::move(made->origins),
                     .bundle = bundle_,
                     .rule = out_.add_rule(rule_of(build)),
                     .unit = build.unit});
    return true;
}

// If no engine sets a namespace, objects of charts without one get the namespace that the
// kustomization sets for all others.
NamespaceRule BuildSelection::rule_of(const PlainBuild& build) const {
    NamespaceRule rule = build.rule;
    const Kustomization* file = build.reader.find(build.dir.path);
    if (context_.options.only_generated && rule.fallback.empty() && build.unit->name.empty() &&
        file != nullptr && file->root.is_map()) {
        rule.fallback = text_of(file->root, {"namespace"});
    }
    return rule;
}

// Runs kustomize with the charts that are available. A complete tree needs all of them.
Result<KustomizeBuild> BuildSelection::run_kustomize(const PlainBuild& build,
                                                     const BuildFiles& read) {
    repo::TextTest matters = [](std::string_view) { return true; };
    PatchesOfBuild patches = patches_in(build, build.tree, build.reader);
    if (context_.options.only_generated && patches.unbuilt.empty()) {
        matters = [this](std::string_view text) {
            return repo::mentions_input(text, context_.options.input_words);
        };
    }
    InflatedTree inflated(build.tree, build.reader, read, context_.root, context_.build.sources,
                          program().version.get(), charts_, matters);
    for (Diagnostic& failure : inflated.failures) {
        refused_.insert(failure.pos);  // the error says that the chart is not built
        context_.build.diagnostics.add(std::move(failure));
    }
    if (inflated.has_charts()) {
        patches = patches_in(build, inflated.tree(), inflated.reader());
    }
    judge_patches(build, std::move(patches));
    if (!inflated.has_charts()) {
        return renderer::engines::run_kustomize(program(), job_of(build, read));
    }
    out_.rendered_charts.merge(inflated.rendered);
    out_.rendered_files.merge(inflated.values);
    out_.helm_version = charts_.version();
    Result<KustomizeBuild> made = renderer::engines::run_kustomize(
        program(),
        {inflated.tree(), inflated.reader(),
         find_build_files(inflated.tree(), inflated.reader(), context_.root, build.dir.path),
         context_.root, build.dir.path, build.loads_any});
    if (!made) {
        return made;
    }
    // Parts that were left out get their positions in the original files.
    for (LeftOut& what : made->left_out) {
        what.pos = place_of(what, build, read);
    }
    for (DocumentOrigin& origin : made->origins) {
        if (origin.file.empty()) {
            continue;
        }
        const Kustomization* inflating = build.reader.find(repo::parent_path(origin.file));
        if (build.tree.kind(origin.file) == repo::EntryKind::Missing && inflating != nullptr) {
            origin.file = inflating->path;
        }
    }
    return made;
}

// Returns no patches for a complete tree, which lacks no part of a build.
PatchesOfBuild BuildSelection::patches_in(const PlainBuild& build, const repo::SourceTree& tree,
                                          KustomizationReader& reader) const {
    if (!context_.options.only_generated || build.is_ignored) {
        return {};
    }
    return patches_of_build({.tree = tree,
                             .reader = reader,
                             .places = build.places == nullptr ? build.reader : *build.places,
                             .changes = build.changes,
                             .dir = build.dir.path},
                            context_.build.sources);
}

void BuildSelection::judge_patches(const PlainBuild& build, PatchesOfBuild found) {
    for (const UnbuiltExposure& one : found.unbuilt) {
        refused_.insert(one.patch.pos);
        refuse_exposure(one.patch, context_.build.diagnostics)
            .expected(fmt::format("the object that it patches, in the tree; {} is not built",
                                  secrets::without_url_credentials(one.what.what)))
            .hint(way_on(one.what, build));
    }
    for (ExposingPatch& patch : found.applied) {
        patch.build = build_name(build.dir);
        out_.patches.push_back(std::move(patch));
    }
}

std::string BuildSelection::way_on(const LeftOut& what, const PlainBuild& build) const {
    const std::string ignore = build.unit->name.empty() ? std::string()
                                                        : fmt::format("; --ignore {} leaves it out",
                                                                      shell_word(build.dir.path));
    if (!what.is_chart) {
        const bool is_remote = is_remote_resource(what.what);
        return fmt::format(
            "copy {} into this repository{}{}", is_remote ? "it" : "what it makes",
            is_remote ? fmt::format(", or name a copy with {}", source_flag(what.what)) : "",
            ignore);
    }
    return fmt::format("{}use --charts DIR with a directory that contains the chart{}",
                       context_.options.helm == repo::kNoProgram
                           ? "leave out --helm none: helm renders charts of this repository; "
                           : "",
                       ignore);
}

Pos BuildSelection::place_of(const LeftOut& what, const PlainBuild& build, const BuildFiles& read) {
    for (const std::string& path : read.paths) {
        const Kustomization* file = build.reader.find_file(path);
        if (file == nullptr) {
            continue;
        }
        for (const LeftOut& known : left_out_of(build.tree, build.reader, *file)) {
            if (known.what == what.what) {
                return known.pos;
            }
        }
    }
    return what.pos;
}

// Records a part that is not built. Devices of it from an earlier run, which had it, do not count
// as removed.
void BuildSelection::note_unbuilt(const PlainBuild& build, const LeftOut& what) {
    if (what.is_chart && what.pos.known()) {
        const SourceMap& sources = context_.build.sources;
        const std::string path(sources.path(sources.source_of(what.pos)));
        out_.unbuilt_parts.emplace(repo::relative_path(path, context_.root), what.what);
        out_.unbuilt_parts.emplace(build_name(build.dir), what.what);
    }
    if (what.is_plug_in && build.unit->is_flux) {
        note_broken(build, fmt::format("Flux runs no {}", what.what));
    }
    if (what.is_remote) {
        const std::string address = secrets::without_url_credentials(what.what);
        out_.remotes.emplace(build.unit->path, address);
        out_.unfetched = out_.unfetched.empty() ? address : out_.unfetched;
    }
}

// Warns about parts that are not read. There is no warning for a chart, because the files that were
// searched include its values.
void BuildSelection::warn_unread(const PlainBuild& build, const Kustomization& file) {
    for (const LeftOut& what : left_out_of(build.tree, build.reader, file)) {
        note_unbuilt(build, what);
        if (!what.is_chart) {
            warn_left_out(what, !context_.options.helm.empty(), context_.build.diagnostics);
        }
    }
}

// Records resources that are missing. kustomize fails on them, so objects of an earlier run stay in
// the cluster.
void BuildSelection::note_missing(const Kustomization& file) const {
    for (const Value& entry : items_of(file.root.find("resources"))) {
        const std::string listed = repo::normal_path(repo::join_path(file.dir, text_of(entry)));
        if (!is_remote_resource(text_of(entry)) &&
            context_.build.tree.kind(listed) == repo::EntryKind::Missing) {
            out_.unbuilt_parts.emplace(
                repo::relative_path(listed, context_.root),
                fmt::format("{}, which lists it,", repo::relative_path(file.path, context_.root)));
        }
    }
}

void BuildSelection::warn_mistaken(const Diagnostics& found) const {
    const auto error = std::ranges::find(found.all(), Severity::Error, &Diagnostic::severity);
    context_.build.diagnostics
        .warning("not-built", error->pos, "this kustomization has an error, so it is not built")
        .where(error->where)
        .found(error->message)
        .expected("no Tailscale objects in it")
        .hint(error->hint);
}

void BuildSelection::leave_alone(const PlainBuild& build, const BuildFiles& read,
                                 const Diagnostics& found) {
    out_.left_alone.push_back({bundle_, build.dir.relative});
    for (const std::string& path : read.paths) {
        if (const Kustomization* file = build.reader.find_file(path); file != nullptr) {
            warn_unread(build, *file);
            note_missing(*file);
        }
    }
    if (!needs_kustomize(found)) {
        warn_mistaken(found);
        const auto error = std::ranges::find(found.all(), Severity::Error, &Diagnostic::severity);
        note_broken(build, error->message);
    }
    for (const std::string& path : read.paths) {
        const bool is_file = context_.build.tree.kind(path) == repo::EntryKind::File;
        if (left_alone_.insert(path).second && is_file) {
            added.push_back({.path = path,
                             .bundle_path = repo::relative_path(path, context_.root),
                             .bundle = bundle_,
                             .rule = out_.add_rule(build.rule),
                             .unit = build.unit,
                             .reachable = false,
                             .copied_whole = true,
                             .left_alone = true});
        }
    }
}

}  // namespace renderer::engines
