// The KRM function: a ResourceList in, a ResourceList out, also when the run fails, since an
// orchestrator parses standard output before it looks at the exit code.
#include <fmt/format.h>
#include <unistd.h>

#include "renderer/cli/cluster_runs.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/report.h"
#include "renderer/emit/krm/resource_list.h"

namespace renderer {
namespace {

int refuse_list(Diagnostic diagnostic, ClusterRuns& runs, Console& console) {
    if (runs.all().empty()) {
        runs.all().emplace_back();
    }
    Run& run = runs.last();
    run.diagnostics.add(std::move(diagnostic));
    (void)console.out(wrap_items(run.loaded, unchanged_items(run.loaded), run.diagnostics));
    return runs.fail(console, "items left unchanged");
}

}  // namespace

int run_krm(const Options& options, Console& console) {
    if (::isatty(STDIN_FILENO) == 1) {
        console.err(
            "tailrender: error: krm reads a ResourceList, and standard input is a terminal "
            "[usage]\n"
            "  hint: kpt fn eval DIR --exec \"tailrender krm\", or kustomize build "
            "--enable-alpha-plugins --enable-exec\n");
        return 2;
    }
    LoadOptions input = options.load;
    input.resource_list = true;
    input.stream.emplace();
    ClusterRuns runs;
    if (!read_stdin(*input.stream)) {
        return refuse_list(
            {.rule = "unreadable", .where = "<stdin>", .message = "cannot read standard input"},
            runs, console);
    }
    const bool rendered = runs.render_one(std::move(input));
    Run& run = runs.last();
    if (!rendered) {
        (void)console.out(wrap_items(run.loaded, unchanged_items(run.loaded), run.diagnostics));
        return runs.fail(console, "items left unchanged");
    }
    Result<std::string> items = emit_items({run.loaded, run.plan, run.objects});
    if (!items) {
        return refuse_list(std::move(items.error().diagnostic), runs, console);
    }
    if (!console.out(wrap_items(run.loaded, *items, run.diagnostics))) {
        return 1;
    }
    runs.print_diagnostics(console);
    if (!options.quiet) {
        console.tell([&](bool color) {
            return device_table(run.plan, run.loaded.sources, color, options.all) +
                   totals(run.loaded, run.plan, run.objects);
        });
    }
    return 0;
}

}  // namespace renderer
