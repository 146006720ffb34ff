#include <fmt/format.h>

#include <deque>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/commands.h"
#include "renderer/lint/lint.h"
#include "renderer/load/load.h"

namespace renderer {

int run_lint(const Options& options, Console& console) {
    if (options.list_checks) {
        std::string lines;
        for (const LintCheck& check : lint_checks()) {
            lines += fmt::format("{:<24} {}\n", check.id, check.explanation);
        }
        return console.out(lines) ? 0 : 1;
    }
    ClusterRuns runs;
    runs.render_each(options.load);
    const std::shared_ptr<const SourceTree> tree = source_tree(options.load);
    for (Run& run : runs.all()) {
        LoadOptions one = options.load;
        one.cluster = run.loaded.cluster;
        lint({*tree, one, run.inventory, run.plan}, run.loaded, run.diagnostics);
    }
    return runs.finish(console, fmt::format("looked at \"{}\"", options.load.path), options.quiet);
}

}  // namespace renderer
