#include "renderer/cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/json_reports.h"
#include "renderer/cli/removals.h"
#include "renderer/cli/report.h"
#include "renderer/cli/trees.h"
#include "renderer/contract/domain.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/helm_files.h"
#include "renderer/emit/krm/resource_list.h"
#include "renderer/emit/tree/lock.h"
#include "renderer/lint/lint.h"
#include "renderer/load/load.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::cli {
namespace {

namespace fs = std::filesystem;

// Returns the output directory as the user typed it, without trailing slashes.
std::string output_root(const Options& options) {
    std::string root = options.load.output_dir;
    while (root.size() > 1 && root.ends_with('/')) {
        root.pop_back();
    }
    return root;
}

Diagnostic output_overlaps(const Options& options) {
    return {
        .rule = "output-overlaps-input",
        .where = "-o",
        .message = "the output directory must not be or contain the input",
        .found = fmt::format("\"{}\" for input \"{}\"", options.load.output_dir, options.load.path),
        .expected = "a separate directory, for example \"rendered\""};
}

bool overlaps(const Options& options) {
    const fs::path output = with_parents(options.load.output_dir).front();
    const std::vector<fs::path> input = with_parents(options.load.path);
    return std::ranges::find(input, output) != input.end();
}

// Refuses an output that overlaps the input or is a file.
std::optional<Error> bad_output(const Options& options) {
    if (overlaps(options)) {
        return Error{output_overlaps(options)};
    }
    std::error_code ignored;
    const fs::file_status found = fs::status(options.load.output_dir, ignored);
    if (fs::exists(found) && !fs::is_directory(found)) {
        return Error{{.rule = "usage",
                      .where = "-o",
                      .message = "the output is not a directory",
                      .found = fmt::format("\"{}\"", options.load.output_dir),
                      .expected = "a directory, which is created if it does not exist"}};
    }
    return std::nullopt;
}

Result<int> to_stdout(const Options& options, ClusterRuns& runs, Console& console) {
    if (stops_at_gates(options, runs, console)) {
        return kGate;
    }
    Run& run = runs.last();
    bool empty = true;
    bool written = true;
    emit::emit_stream({run.loaded, run.plan, run.objects}, options.load.threads,
                      [&](std::string_view piece) {
                          empty = false;
                          written = written && console.out(piece);
                      });
    if (empty && !may_be_empty(options, run.loaded)) {
        return Error{empty_output(options, run.loaded)};
    }
    if (!written) {
        return kErrors;
    }
    runs.print_diagnostics(console);
    report(options, run, counts_of(run), console, "");
    return 0;
}

// Returns the units whose devices earlier runs wrote to the output.
Result<std::set<std::string, std::less<>>> units_of_output(const Options& options) {
    const std::string root = output_root(options);
    std::vector<std::string> dirs = {root};
    for (const emit::RenderedTree& tree : TRY(emit::find_gone_trees(root, {}))) {
        dirs.push_back(tree.dir);
    }
    return earlier_units(dirs, earlier_trees());
}

OutputTrees output_trees(const Options& options) {
    return {options, Destination::Directory, output_root(options), earlier_trees()};
}

Result<std::vector<emit::RenderedTree>> gone_trees(const std::string& root,
                                                   std::span<const std::string> clusters) {
    return emit::find_gone_trees(root, clusters);
}

Result<int> to_directory(const Options& options, OutputTrees& trees, ClusterRuns& runs,
                         Console& console) {
    if (!TRY(trees.check(runs, gone_trees))) {
        return runs.fail(console);
    }
    if (stops_at_gates(options, runs, console, TRY(trees.failed_gates()))) {
        return kGate;
    }
    std::vector<std::string> summaries;
    Result<Unit> written =
        emit::write_trees(trees.all(), options.load.threads, [&](const emit::WriteReport& done) {
            summaries.push_back(trees.summary(summaries.size(), "", done));
        });
    if (!written) {  // for example, a full disk; other errors were found before the first byte
        Diagnostic& refusal = written.error().diagnostic;
        const bool begun = refusal.rule == "write-failed" || !summaries.empty();
        return runs.refuse(
            std::move(refusal), console,
            begun ? "the output may be incomplete until a run succeeds" : "nothing written");
    }
    runs.print_diagnostics(console);
    trees.report(runs, console, summaries);
    console.err(trees.removals());
    return 0;
}

// Writes the lock file. Called last, so that the lock lists only what was written.
int update_lock(const Options& options, const std::string& text, ClusterRuns& runs,
                Console& console) {
    const std::string path = repo::join_path(options.load.path, repo::kLockName);
    Result<bool> changed = emit::write_lock(path, text);
    if (!changed) {
        return runs.refuse(std::move(changed.error().diagnostic), console,
                           "the output was written, but not the lock file");
    }
    if (!options.quiet) {
        console.err(fmt::format("{}: {}\n", path, *changed ? "updated" : "up to date"));
    }
    return 0;
}

Diagnostic no_place_for_lock(const Options& options) {
    return {.rule = "usage",
            .where = "--update-lock",
            .message = fmt::format("{} needs a directory", repo::kLockName),
            .found = fmt::format("\"{}\" to render", options.load.path),
            .expected = "a directory to render"};
}

std::optional<Error> gate_without_comparison(const Options& options) {
    if (options.fail_on.empty() ||
        std::ranges::count(options.fail_on, Gate::Warning) == std::ssize(options.fail_on)) {
        return std::nullopt;
    }
    return Error{{.rule = "usage",
                  .where = "--fail-on",
                  .message = "a stream has no earlier output to compare with",
                  .found = "public, removed or replaced, and no -o",
                  .expected = "-o DIR, or \"warning\" alone",
                  .hint = "tailrender diff compares with a revision"}};
}

// Prints how the tree in `dir` differs, and how to update it. Returns the exit code.
int show_difference(const Options& options, const std::string& dir, Console& console,
                    const std::string& diff) {
    if (diff.empty()) {
        if (!options.quiet) {
            console.err(fmt::format("{}: up to date\n", dir));
        }
        return 0;
    }
    if (options.format != ReportFormat::Json && !console.show(diff)) {
        return kErrors;
    }
    console.err(fmt::format(
        "{}: stale; run the same command with \"render\" in place of \"check\" to update it\n",
        on_one_line(dir)));
    return kDifferent;
}

// Returns what a tree that is not written yet would have, in place of a diff of every line.
Result<std::string> missing_tree(const Options& options, const Run& run,
                                 const emit::RenderedTree& tree) {
    constexpr std::size_t kListed = 40;
    const emit::Changes changes = TRY(emit::find_changes(tree));
    if (changes.empty()) {
        return std::string();
    }
    std::string text = device_table(run.plan, run.loaded.sources, false, options.all);
    text += fmt::format("{} does not exist; it would have {}:\n", on_one_line(tree.dir),
                        counted(changes.created.size(), "file"));
    for (std::size_t i = 0; i < changes.created.size(); ++i) {
        if (i == kListed && !options.all) {
            text += fmt::format("… and {} more; --all shows them\n", changes.created.size() - i);
            break;
        }
        text += fmt::format("  {}\n", on_one_line(changes.created[i]->path));
    }
    return text;
}

Result<std::vector<CheckedTree>> checked_trees(
    ClusterRuns& runs, const std::vector<std::shared_ptr<const emit::RenderedTree>>& trees,
    const std::vector<std::string>& diffs) {
    std::vector<CheckedTree> checked;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        const bool is_of_run = i < runs.all().size();
        checked.push_back({is_of_run ? runs.all()[i].loaded.cluster : std::string(), trees[i]->dir,
                           !diffs[i].empty(), TRY(emit::find_changes(*trees[i]))});
    }
    return checked;
}

// Adds the images of all containers in a value.
void collect_images(const Value& value, std::set<std::string, std::less<>>& images) {
    for (const Value& item : items_of(&value)) {
        collect_images(item, images);
    }
    for (const Member& member : members_of(&value)) {
        const bool containers = member.name() == "containers" || member.name() == "initContainers";
        for (const Value& container : items_of(containers ? &member.value : nullptr)) {
            const Value* image = container.find("image");
            if (image != nullptr && image->is_string()) {
                images.emplace(image->text());
            }
        }
        collect_images(member.value, images);
    }
}

// Returns what `post-render --on-error annotate` prints when rendering fails: a document with the
// diagnostics, then the unchanged stream. The kind of the document exists in no cluster, so helm
// refuses to install it. This is for `helm template` of helm 4, which drops standard error.
std::string failed_stream(const Run& run, std::string_view stream) {
    Value messages = Value::list();
    for (const ShownDiagnostic& shown : shown_diagnostics(run.diagnostics, run.loaded.sources)) {
        messages.append(Value(shown.text));
    }
    std::string text;
    write_yaml(Value::map({{"apiVersion", kOwnVersion},
                           {"kind", "RenderFailed"},
                           {"metadata", Value::map({{"name", "tailrender"}})},
                           {"messages", std::move(messages)}}),
               text);
    text += stream.starts_with("---") ? "" : "---\n";
    return text.append(stream);
}

int leave_unchanged(ClusterRuns& runs, Console& console) {
    const Run& run = runs.last();
    (void)console.out(
        emit::wrap_items(run.loaded, emit::unchanged_items(run.loaded), run.diagnostics));
    return runs.fail(console, "items left unchanged");
}

}  // namespace

Result<int> run_render(const Options& options, ClusterRuns& runs, Console& console) {
    const bool tree = !options.load.output_dir.empty();
    if (std::optional<Error> bad = tree ? bad_output(options) : std::nullopt) {
        return std::move(*bad);
    }
    if (std::optional<Error> gate = tree ? std::nullopt : gate_without_comparison(options)) {
        return std::move(*gate);
    }
    if (options.update_lock && !fs::is_directory(options.load.path)) {
        return Error{no_place_for_lock(options)};
    }
    repo::LoadOptions load = options.load;
    load.one_stream = !tree && !load.only_generated;
    if (tree) {
        load.earlier_units = TRY(units_of_output(options));
    }
    OutputTrees trees = output_trees(options);
    emit::LockText lock;
    std::string note;
    const auto take = [&](const Run& run, Diagnostics& later) {
        note = &run == &runs.all().front() ? engine_note(run.loaded) : std::move(note);
        if (options.update_lock) {
            lock.add({run.loaded, run.plan, run.objects});
        }
        if (tree) {
            trees.take(run, later);
        }
    };
    const bool good =
        tree ? runs.render_each(load, take) : runs.render_one(load, generate::Form::Text);
    if (!tree) {
        Diagnostics none;
        take(runs.last(), none);
    }
    if (!options.quiet && !fs::is_regular_file(load.path)) {
        console.err(note);
    }
    if (!good) {
        return runs.fail(console);
    }
    const int code =
        TRY(tree ? to_directory(options, trees, runs, console) : to_stdout(options, runs, console));
    return code == 0 && options.update_lock ? update_lock(options, lock.text(), runs, console)
                                            : code;
}

Result<int> run_check(const Options& options, ClusterRuns& runs, Console& console) {
    if (std::optional<Error> bad = bad_output(options)) {
        return std::move(*bad);
    }
    repo::LoadOptions load = options.load;
    load.earlier_units = TRY(units_of_output(options));
    OutputTrees output = output_trees(options);
    if (!runs.render_each(load,
                          [&](const Run& run, Diagnostics& later) { output.take(run, later); }) ||
        !TRY(output.check(runs, gone_trees))) {
        return runs.fail(console);
    }
    std::vector<std::shared_ptr<const emit::RenderedTree>> trees;
    std::vector<std::string> diffs;
    for (const emit::PackedTree& packed : output.all()) {
        const std::size_t i = trees.size();
        const emit::RenderedTree& tree = *trees.emplace_back(packed.unpack());
        diffs.push_back(TRY(fs::exists(tree.dir) || i >= runs.all().size()
                                ? emit::compare_tree(tree)
                                : missing_tree(options, runs.all()[i], tree)));
    }
    const bool is_json = options.format == ReportFormat::Json;
    const std::string json =
        is_json ? check_json(TRY(checked_trees(runs, trees, diffs))) : std::string();
    std::vector<Diagnostic> failed = TRY(output.failed_gates());
    runs.print_diagnostics(console);
    console.err(output.removals());
    int code = is_json && !console.show(json) ? kErrors : 0;
    for (std::size_t i = 0; i < diffs.size(); ++i) {
        code = exit_code_of(code, show_difference(options, trees[i]->dir, console, diffs[i]));
    }
    return code_after_gates(options, runs.warnings().size(), code, console, std::move(failed));
}

Result<int> run_post_render(const Options& options, ClusterRuns& runs, Console& console) {
    console.log(fmt::format("post-render of release \"{}\", namespace \"{}\"\n", options.release,
                            options.load.default_namespace));
    repo::LoadOptions input = options.load;
    input.stream = TRY(read_stdin());
    if (input.stream->empty()) {
        return 0;  // `helm template --output-dir` passes nothing to a post-renderer
    }
    const std::string given = options.annotate ? *input.stream : std::string();
    const bool good = runs.render_one(std::move(input));
    Run& run = runs.last();
    run.diagnostics = emit::with_templates(run.loaded, run.diagnostics);
    if (!good && options.annotate) {
        (void)runs.fail(console, "the input, after a document that holds the errors");
        return console.out(failed_stream(run, given)) ? 0 : 1;
    }
    if (!good) {
        return runs.fail(console);
    }
    emit::name_helm_files(run.loaded, run.objects);
    return to_stdout(options, runs, console);
}

// Prints a ResourceList even if the run fails, because an orchestrator parses standard output
// before it checks the exit code.
Result<int> run_krm(const Options& options, ClusterRuns& runs, Console& console) {
    repo::LoadOptions input = options.load;
    input.resource_list = true;
    Result<std::string> stream = read_stdin();
    if (!stream) {
        runs.all().emplace_back().diagnostics.add(std::move(stream.error().diagnostic));
        return leave_unchanged(runs, console);
    }
    input.stream = std::move(*stream);
    if (!runs.render_one(std::move(input))) {
        return leave_unchanged(runs, console);
    }
    Run& run = runs.last();
    Result<std::string> items = emit::emit_items({run.loaded, run.plan, run.objects});
    if (!items) {
        run.diagnostics.add(std::move(items.error().diagnostic));
        return leave_unchanged(runs, console);
    }
    if (!console.out(emit::wrap_items(run.loaded, *items, run.diagnostics))) {
        return 1;
    }
    runs.print_diagnostics(console);
    report(options, run, counts_of(run), console, "");
    return 0;
}

Result<int> run_install(const Options& options, ClusterRuns& runs, Console& console) {
    OutputTrees trees = output_trees(options);
    const bool is_stream = options.load.output_dir.empty();
    const auto take = [&](const Run& run, Diagnostics& later) {
        if (!is_stream) {
            trees.take(run, later);
        }
    };
    if (!runs.render_each(options.load, take)) {
        return runs.fail(console);
    }
    return is_stream ? to_stdout(options, runs, console)
                     : to_directory(options, trees, runs, console);
}

Result<int> run_images(const Options& options, ClusterRuns& runs, Console& console) {
    std::set<std::string, std::less<>> images;
    const auto take = [&](const Run& run, Diagnostics& /*later*/) {
        for (const Object& object : run.objects) {
            collect_images(object.root, images);
        }
    };
    if (!runs.render_each(options.load, take)) {
        return runs.fail(console);
    }
    std::vector<std::string> names;
    names.reserve(images.size());
    std::ranges::transform(images, std::back_inserter(names), on_one_line);
    runs.print_diagnostics(console);
    if (!console.show(
            options.format == ReportFormat::Json
                ? images_json(names)
                : fmt::format("{}{}", fmt::join(names, "\n"), names.empty() ? "" : "\n"))) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

Result<int> run_lint(const Options& options, ClusterRuns& runs, Console& console) {
    const bool is_json = options.format == ReportFormat::Json;
    if (options.list_checks && is_json) {
        return console.out(checks_json()) ? 0 : kErrors;
    }
    if (options.list_checks) {
        std::string lines;
        for (const lint::LintCheck& check : lint::lint_checks()) {
            lines += fmt::format("{:<24} {}\n", check.id, check.explanation);
        }
        return console.out(lines) ? 0 : 1;
    }
    repo::LoadOptions load = options.load;
    load.lints = true;
    runs.render_each(load);
    const std::shared_ptr<const repo::SourceTree> tree = repo::source_tree(options.load);
    for (Run& run : runs.all()) {
        repo::LoadOptions one = options.load;
        one.cluster = run.loaded.cluster;
        lint::lint({*tree, one, run.inventory, run.plan}, run.loaded, run.diagnostics);
    }
    const int code =
        runs.finish(console, fmt::format("looked at \"{}\"", options.load.path), options.quiet);
    if (is_json && !console.show(lint_json(options.load.path, runs.diagnostics()))) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), code, console);
}

}  // namespace renderer::cli
