// The KRM function: a ResourceList in, a ResourceList out, also when the run fails, since an
// orchestrator parses standard output before it looks at the exit code.
#include "renderer/cli/commands.h"
#include "renderer/cli/trees.h"
#include "renderer/emit/krm/resource_list.h"

namespace renderer {
namespace {

int leave_unchanged(ClusterRuns& runs, Console& console) {
    const Run& run = runs.last();
    (void)console.out(wrap_items(run.loaded, unchanged_items(run.loaded), run.diagnostics));
    return runs.fail(console, "items left unchanged");
}

}  // namespace

Result<int> run_krm(const Options& options, ClusterRuns& runs, Console& console) {
    LoadOptions input = options.load;
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
    Result<std::string> items = emit_items({run.loaded, run.plan, run.objects});
    if (!items) {
        run.diagnostics.add(std::move(items.error().diagnostic));
        return leave_unchanged(runs, console);
    }
    if (!console.out(wrap_items(run.loaded, *items, run.diagnostics))) {
        return 1;
    }
    runs.print_diagnostics(console);
    report(options, run, console, "");
    return 0;
}

}  // namespace renderer
