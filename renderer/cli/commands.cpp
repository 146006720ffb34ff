#include "renderer/cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/failed_stream.h"
#include "renderer/cli/report.h"
#include "renderer/cli/trees.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/helm_files.h"
#include "renderer/emit/tree/lock.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/values/lock_file.h"

namespace renderer {
namespace {

namespace fs = std::filesystem;

// As the user typed it, without slashes at its end.
std::string output_root(const Options& options) {
    std::string root = options.load.output_dir;
    while (root.size() > 1 && root.ends_with('/')) {
        root.pop_back();
    }
    return root;
}

fs::path real_path(const std::string& path) {
    std::error_code code;
    const fs::path absolute = fs::absolute(path, code);
    const fs::path canonical = fs::weakly_canonical(absolute, code);
    return code ? absolute : canonical;
}

// The path itself or one of its parents.
bool contains(const fs::path& dir, fs::path path) {
    for (;; path = path.parent_path()) {
        if (path == dir) {
            return true;
        }
        if (path == path.parent_path()) {
            return false;
        }
    }
}

Diagnostic output_overlaps(const Options& options) {
    return {
        .severity = Severity::Error,
        .rule = "output-overlaps-input",
        .pos = {},
        .where = "-o",
        .object = {},
        .message = "the output directory must not be or contain the input",
        .found = fmt::format("\"{}\" for input \"{}\"", options.load.output_dir, options.load.path),
        .expected = "a separate directory, for example \"rendered\"",
        .hint = {},
        .notes = {}};
}

int to_stdout(const Options& options, ClusterRuns& runs, Console& console) {
    Run& run = runs.last();
    bool empty = true;
    bool written = true;
    emit_stream({run.loaded, run.plan, run.objects}, options.load.threads,
                [&](std::string_view piece) {
                    empty = false;
                    written = written && console.out(piece);
                });
    if (empty && !options.allow_empty) {
        return runs.refuse(empty_output(options, run.loaded), console);
    }
    if (!written) {
        return 1;
    }
    runs.print_diagnostics(console);
    report(options, run, console, "");
    return 0;
}

bool overlaps(const Options& options) {
    return contains(real_path(options.load.output_dir), real_path(options.load.path));
}

// The trees of the clusters and those of clusters that are gone; none after an error, which is
// added to a run.
std::vector<RenderedTree> directory_trees(const Options& options, ClusterRuns& runs) {
    const std::string root = output_root(options);
    std::vector<RenderedTree> trees = make_trees(options, Destination::Directory, root, runs);
    const std::optional<std::vector<std::string>> clusters = all_clusters(options, runs);
    if (trees.empty() || !clusters) {
        return trees;
    }
    if (!add_gone_trees(options, runs, find_gone_trees(root, *clusters), trees)) {
        return {};
    }
    return trees;
}

int to_directory(const Options& options, ClusterRuns& runs, Console& console) {
    const std::vector<RenderedTree> trees = directory_trees(options, runs);
    if (trees.empty()) {
        return runs.fail(console);
    }
    Result<std::vector<WriteReport>> reports = write_trees(trees);
    if (!reports) {  // a full disk, say: everything else is refused before the first byte
        const bool begun = reports.error().diagnostic.rule == "write-failed";
        runs.last().diagnostics.add(std::move(reports.error().diagnostic));
        return runs.fail(console, begun ? "the output may be incomplete until a run succeeds"
                                        : "nothing written");
    }
    runs.print_diagnostics(console);
    report_trees(options, runs, console, {.branch = {}, .trees = trees, .reports = *reports});
    return 0;
}

// Last, so that a lock is only of what was written.
int update_lock(const Options& options, ClusterRuns& runs, Console& console) {
    const std::string path = join_path(options.load.path, kLockName);
    std::vector<Output> outputs;
    for (const Run& run : runs.all()) {
        outputs.push_back({run.loaded, run.plan, run.objects});
    }
    Result<bool> changed = write_lock(path, lock_text(outputs));
    if (!changed) {
        runs.last().diagnostics.add(std::move(changed.error().diagnostic));
        return runs.fail(console, "the output was written, but not the lock file");
    }
    if (!options.quiet) {
        console.err(fmt::format("{}: {}\n", path, *changed ? "updated" : "up to date"));
    }
    return 0;
}

Diagnostic no_place_for_lock(const Options& options) {
    return {.severity = Severity::Error,
            .rule = "usage",
            .pos = {},
            .where = "--update-lock",
            .object = {},
            .message = fmt::format("{} needs a directory", kLockName),
            .found = fmt::format("\"{}\" to render", options.load.path),
            .expected = "a directory to render",
            .hint = {},
            .notes = {}};
}

// False when it is stale or cannot be told.
bool show_difference(const Options& options, const std::string& dir, Console& console,
                     const std::string& diff) {
    if (diff.empty()) {
        if (!options.quiet) {
            console.err(fmt::format("{}: up to date\n", dir));
        }
        return true;
    }
    if (console.out(diff)) {
        console.err(fmt::format("{}: stale; run \"tailrender render {}{} -o {}{}\"\n", dir,
                                options.load.path,
                                options.revision.empty() ? "" : " --rev " + options.revision,
                                options.load.output_dir, options.prune ? " --prune" : ""));
    }
    return false;
}

// Of all containers below a value.
void collect_images(const Value& value, std::set<std::string_view>& images) {
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            collect_images(item, images);
        }
    }
    if (!value.is_map()) {
        return;
    }
    for (const Member& member : value.members()) {
        const bool containers = member.name() == "containers" || member.name() == "initContainers";
        for (const Value& container : containers&& member.value.is_list()
                                          ? member.value.items()
                                          : std::span<const Value>()) {
            const Value* image = container.find("image");
            if (image != nullptr && image->is_string()) {
                images.insert(image->text());
            }
        }
        collect_images(member.value, images);
    }
}

}  // namespace

int run_render(const Options& options, Console& console) {
    ClusterRuns& runs = lasting_runs();
    const bool tree = !options.load.output_dir.empty();
    if (tree && overlaps(options)) {
        return runs.refuse(output_overlaps(options), console);
    }
    if (options.update_lock && !fs::is_directory(options.load.path)) {
        return runs.refuse(no_place_for_lock(options), console);
    }
    if (!(tree ? runs.render_each(options.load) : runs.render_one(options.load))) {
        return runs.fail(console);
    }
    const int code =
        tree ? to_directory(options, runs, console) : to_stdout(options, runs, console);
    return code == 0 && options.update_lock ? update_lock(options, runs, console) : code;
}

int run_check(const Options& options, Console& console) {
    ClusterRuns& runs = lasting_runs();
    if (overlaps(options)) {
        return runs.refuse(output_overlaps(options), console);
    }
    if (!runs.render_each(options.load)) {
        return runs.fail(console);
    }
    const std::vector<RenderedTree> trees = directory_trees(options, runs);
    if (trees.empty()) {
        return runs.fail(console);
    }
    std::vector<std::string> diffs;
    diffs.reserve(trees.size());
    for (const RenderedTree& tree : trees) {
        Result<std::string> diff = compare_tree(tree);
        if (!diff) {
            return runs.refuse(std::move(diff.error().diagnostic), console);
        }
        diffs.push_back(std::move(*diff));
    }
    runs.print_diagnostics(console);
    bool fresh = true;
    for (std::size_t i = 0; i < diffs.size(); ++i) {
        fresh = show_difference(options, trees[i].dir, console, diffs[i]) && fresh;
    }
    return fresh ? 0 : 1;
}

int run_post_render(const Options& options, Console& console) {
    if (::isatty(STDIN_FILENO) == 1) {
        console.err(
            "tailrender: error: post-render reads a stream of manifests, and standard input is a "
            "terminal [usage]\n"
            "  hint: helm template NAME CHART | tailrender post-render --namespace NAMESPACE\n");
        return 2;
    }
    console.log(fmt::format("post-render of release \"{}\", namespace \"{}\"\n", options.release,
                            options.load.default_namespace));
    LoadOptions input = options.load;
    input.stream.emplace();
    ClusterRuns& runs = lasting_runs();
    if (!read_stdin(*input.stream)) {
        return runs.refuse({.severity = Severity::Error,
                            .rule = "unreadable",
                            .pos = {},
                            .where = "<stdin>",
                            .object = {},
                            .message = "cannot read standard input",
                            .found = {},
                            .expected = {},
                            .hint = {},
                            .notes = {}},
                           console);
    }
    if (input.stream->empty()) {
        return 0;  // `helm template --output-dir` has nothing left for a post-renderer
    }
    const std::string given = options.annotate ? *input.stream : std::string();
    const bool good = runs.render_one(std::move(input));
    Run& run = runs.last();
    run.diagnostics = with_templates(run.loaded, run.diagnostics);
    if (!good && options.annotate) {
        (void)runs.fail(console, "the input, after a document that holds the errors");
        return console.out(failed_stream(run, given)) ? 0 : 1;
    }
    if (!good) {
        return runs.fail(console);
    }
    name_helm_files(run.loaded, run.objects);
    return to_stdout(options, runs, console);
}

int run_install(const Options& options, Console& console) {
    ClusterRuns& runs = lasting_runs();
    if (!runs.render_one(options.load)) {
        return runs.fail(console);
    }
    return options.load.output_dir.empty() ? to_stdout(options, runs, console)
                                           : to_directory(options, runs, console);
}

int run_images(const Options& options, Console& console) {
    ClusterRuns& runs = lasting_runs();
    if (!runs.render_each(options.load)) {
        return runs.fail(console);
    }
    std::set<std::string_view> images;
    for (const Run& run : runs.all()) {
        for (const Object& object : run.objects) {
            collect_images(object.root, images);
        }
    }
    std::string lines;
    for (const std::string_view image : images) {
        lines += fmt::format("{}\n", image);
    }
    runs.print_diagnostics(console);
    return console.out(lines) ? 0 : 1;
}

}  // namespace renderer
