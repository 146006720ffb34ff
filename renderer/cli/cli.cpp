#include "renderer/cli/cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/cmp_command.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/completion.h"
#include "renderer/cli/console.h"
#include "renderer/cli/explain.h"
#include "renderer/cli/options.h"
#include "renderer/load/tree/git_tree.h"

namespace renderer {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// What Argo CD tells its plug-ins.
Environment argo_environment() {
    Environment found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (text.starts_with("ARGOCD_") && equals != std::string_view::npos) {
            found.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return found;
}

bool wants_color(Color color) {
    switch (color) {
        case Color::Always:
            return true;
        case Color::Never:
            return false;
        case Color::Auto:
            break;
    }
    return environment("NO_COLOR").empty() && environment("TERM") != "dumb" &&
           ::isatty(STDERR_FILENO) == 1;
}

// What reads standard input waits for others, who may have a line of their own on the terminal.
bool wants_progress(const Options& options) {
    const bool reads_input =
        options.verb == Verb::PostRender || options.verb == Verb::Krm || options.verb == Verb::Seal;
    return !options.quiet && !reads_input && environment("TERM") != "dumb" &&
           ::isatty(STDERR_FILENO) == 1;
}

int run_verb(const Options& options, Console& console) {
    switch (options.verb) {
        case Verb::Render:
            return run_render(options, console);
        case Verb::Check:
            return run_check(options, console);
        case Verb::PostRender:
            return run_post_render(options, console);
        case Verb::Explain:
            return run_explain(options, console);
        case Verb::Lint:
            return run_lint(options, console);
        case Verb::Diff:
            return run_diff(options, console);
        case Verb::Install:
            return run_install(options, console);
        case Verb::Krm:
            return run_krm(options, console);
        case Verb::Cmp:
            return run_cmp(options, argo_environment(), console);
        case Verb::Images:
            return run_images(options, console);
        case Verb::Seal:
            return run_seal(options, console);
        case Verb::Commit:
            return run_commit(options, console);
        case Verb::GitopsSnippets:
            return run_gitops_snippets(options, console);
        case Verb::Completion:
            return console.out(completion_script(options.shell, command_table())) ? 0 : 1;
    }
    return 2;
}

// Once for all clusters of a run: a branch may move meanwhile.
bool open_revision(Options& options, Console& console) {
    if (options.revision.empty()) {
        return true;
    }
    Result<std::shared_ptr<const GitTree>> tree =
        GitTree::open(options.load.path, options.revision);
    if (!tree) {
        ClusterRuns().refuse(std::move(tree.error().diagnostic), console);
        return false;
    }
    options.load.tree = std::move(*tree);
    return true;
}

// Else the first file that is opened gets the number of a stream that is closed, and what is meant
// for the stream goes into the file. Reading and writing fail on what is put there, too.
void hold_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) == -1) {
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
    hold_standard_streams();
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), with a message
    CommandLine line = parse_command_line(argc, argv);
    if (!line.options) {
        Console console(false, "");
        console.err(line.err);
        return console.out(line.out) ? line.exit_code : 1;
    }
    Options& options = *line.options;
    if (options.log_file.empty()) {
        options.log_file = environment("TAILRENDER_LOG");
    }
    Console console(wants_color(options.color), options.log_file);
    if (wants_progress(options)) {
        console.show_progress();
    }
    return console.finish(
        console.ready() && open_revision(options, console) ? run_verb(options, console) : 1);
}

}  // namespace renderer
