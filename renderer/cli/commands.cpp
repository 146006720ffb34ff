#include "renderer/cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <utility>

#include "renderer/cli/report.h"
#include "renderer/emit/emit.h"

namespace renderer {
namespace {

namespace fs = std::filesystem;

std::string plural(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_diagnostics(const Run& run, Console& console) {
    if (!run.diagnostics.empty()) {
        console.tell(
            [&run](bool color) { return run.diagnostics.print(run.loaded.sources, color); });
    }
}

int finish(const Run& run, Console& console, std::string_view ending) {
    print_diagnostics(run, console);
    const std::size_t errors = run.diagnostics.error_count();
    console.err(fmt::format("{}, {}; {}\n", plural(errors, "error"),
                            plural(run.diagnostics.all().size() - errors, "warning"), ending));
    return 1;
}

int fail(Run& run, Console& console, Diagnostic diagnostic) {
    run.diagnostics.add(std::move(diagnostic));
    return finish(run, console, "nothing written");
}

// A full disk, say. Everything else is refused before the first byte.
int fail_while_writing(Run& run, Console& console, Diagnostic diagnostic) {
    const bool begun = diagnostic.rule == "write-failed";
    run.diagnostics.add(std::move(diagnostic));
    return finish(run, console,
                  begun ? "the output may be incomplete until a run succeeds" : "nothing written");
}

// As the user typed it, without slashes at its end.
std::string output_root(const Options& options) {
    std::string root = options.load.output_dir;
    while (root.size() > 1 && root.ends_with('/')) {
        root.pop_back();
    }
    return root;
}

std::string cluster_dir(const Options& options, const Loaded& loaded) {
    const std::string root = output_root(options);
    return loaded.cluster_level ? fmt::format("{}/{}", root, loaded.cluster) : root;
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

bool is_in_git(const std::string& dir) {
    for (fs::path path = real_path(dir);; path = path.parent_path()) {
        std::error_code code;
        if (fs::exists(path / ".git", code)) {
            return true;
        }
        if (path == path.parent_path()) {
            return false;
        }
    }
}

Diagnostic empty_output(const Options& options, const Loaded& loaded) {
    return {.severity = Severity::Error,
            .rule = "empty-output",
            .pos = {},
            .where = loaded.is_stream ? "<stdin>" : options.load.path,
            .object = {},
            .message = "the output is empty, which tells an applier to delete everything",
            .found = fmt::format("{} bytes of input without anything to apply", loaded.input_bytes),
            .expected = "at least one Kubernetes document",
            .hint = "if an empty output is meant, say --allow-empty",
            .notes = {}};
}

Diagnostic output_overlaps(const Options& options) {
    return {
        .severity = Severity::Error,
        .rule = "output-overlaps-input",
        .pos = {},
        .where = "-o",
        .object = {},
        .message = "the output directory must not be the input or hold it",
        .found = fmt::format("\"{}\" for input \"{}\"", options.load.output_dir, options.load.path),
        .expected = "a directory of its own, for example \"rendered\"",
        .hint = {},
        .notes = {}};
}

Diagnostic secret_in_git(const Options& options, const Object& secret) {
    return {.severity = Severity::Error,
            .rule = "secret-in-git",
            .pos = secret.origin.pos,
            .where = "-o",
            .object = secret.object_name(),
            .message = "a Secret with plaintext credentials must not reach a Git work tree",
            .found = fmt::format("output directory \"{}\" inside of one", options.load.output_dir),
            .expected = "no credentials in Git",
            .hint =
                "create the Secret in the cluster (tailrender.secrets: reference), or pipe the "
                "stream to kubectl",
            .notes = {}};
}

// The process ends with the run: nobody waits until its nodes are freed one by one.
Run& lasting_run() {
    static auto* const runs = new std::deque<Run>;
    return runs->emplace_back();
}

void report(const Options& options, const Run& run, Console& console, const std::string& written) {
    print_diagnostics(run, console);
    if (options.quiet) {
        return;
    }
    console.tell([&](bool color) {
        return device_table(run.plan, run.loaded.sources, color) +
               totals(run.loaded, run.plan, run.objects) + written;
    });
}

int to_stdout(const Options& options, Run& run, Console& console) {
    bool empty = true;
    bool written = true;
    emit_stream({run.loaded, run.plan, run.objects}, options.load.threads,
                [&](std::string_view piece) {
                    empty = false;
                    written = written && console.out(piece);
                });
    if (empty && !options.allow_empty) {
        return fail(run, console, empty_output(options, run.loaded));
    }
    if (!written) {
        return 1;
    }
    report(options, run, console, "");
    return 0;
}

// Everything that is checked before a tree is written or compared.
Result<std::vector<OutputFile>> make_tree(const Options& options, const Run& run) {
    const Output output{run.loaded, run.plan, run.objects};
    const Object* secret = plaintext_secret(output);
    if (secret != nullptr && is_in_git(options.load.output_dir)) {
        return Error{secret_in_git(options, *secret)};
    }
    std::vector<OutputFile> files = TRY(emit_tree(output));
    if (files.empty() && !options.allow_empty) {
        return Error{empty_output(options, run.loaded)};
    }
    return files;
}

bool overlaps(const Options& options) {
    return contains(real_path(options.load.output_dir), real_path(options.load.path));
}

int to_directory(const Options& options, Run& run, Console& console) {
    Result<std::vector<OutputFile>> files = make_tree(options, run);
    if (!files) {
        return fail(run, console, std::move(files.error().diagnostic));
    }
    const std::string dir = cluster_dir(options, run.loaded);
    Result<WriteReport> written = write_tree(dir, *files);
    if (!written) {
        return fail_while_writing(run, console, std::move(written.error().diagnostic));
    }
    report(options, run, console, write_summary(dir, *written));
    return 0;
}

int show_difference(const Options& options, const Run& run, Console& console,
                    const std::string& diff) {
    const std::string dir = cluster_dir(options, run.loaded);
    print_diagnostics(run, console);
    if (diff.empty()) {
        if (!options.quiet) {
            console.err(fmt::format("{}: up to date\n", dir));
        }
        return 0;
    }
    if (console.out(diff)) {
        console.err(fmt::format("{}: stale; run \"tailrender render {} -o {}\"\n", dir,
                                options.load.path, options.load.output_dir));
    }
    return 1;
}

}  // namespace

int fail(const Run& run, Console& console) {
    return finish(run, console, "nothing written");
}

int run_render(const Options& options, Console& console) {
    Run& run = lasting_run();
    const bool tree = !options.load.output_dir.empty();
    if (tree && overlaps(options)) {
        return fail(run, console, output_overlaps(options));
    }
    if (!render(options.load, run)) {
        return fail(run, console);
    }
    return tree ? to_directory(options, run, console) : to_stdout(options, run, console);
}

int run_check(const Options& options, Console& console) {
    Run& run = lasting_run();
    if (overlaps(options)) {
        return fail(run, console, output_overlaps(options));
    }
    if (!render(options.load, run)) {
        return fail(run, console);
    }
    Result<std::vector<OutputFile>> files = make_tree(options, run);
    if (!files) {
        return fail(run, console, std::move(files.error().diagnostic));
    }
    Result<std::string> diff = compare_tree(cluster_dir(options, run.loaded), *files);
    if (!diff) {
        return fail(run, console, std::move(diff.error().diagnostic));
    }
    return show_difference(options, run, console, *diff);
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
    Run& run = lasting_run();
    if (!read_stdin(*input.stream)) {
        return fail(run, console,
                    {.severity = Severity::Error,
                     .rule = "unreadable",
                     .pos = {},
                     .where = "<stdin>",
                     .object = {},
                     .message = "cannot read standard input to its end",
                     .found = {},
                     .expected = {},
                     .hint = {},
                     .notes = {}});
    }
    if (input.stream->empty()) {
        return 0;  // `helm template --output-dir` has nothing left for a post-renderer
    }
    if (!render(std::move(input), run)) {
        return fail(run, console);
    }
    return to_stdout(options, run, console);
}

}  // namespace renderer
