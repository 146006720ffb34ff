#include <unistd.h>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/json_reports.h"
#include "renderer/cli/report.h"

namespace renderer::cli {

Result<int> run_devices(const Options& options, ClusterRuns& runs, Console& console) {
    if (!runs.render_each(options.load, [](const Run&, Diagnostics&) {})) {
        return runs.fail(console, "nothing printed");
    }
    runs.print_diagnostics(console);
    const bool is_json = options.format == ReportFormat::Json;
    const bool color = !is_json && wants_color(options.color, STDOUT_FILENO);
    if (!console.show(
            is_json
                ? devices_json(runs.all())
                : device_list(runs.all(), color,
                              options.color == Color::Always ? 0 : terminal_width(STDOUT_FILENO)),
            color ? OwnColors::Yes : OwnColors::No)) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

}  // namespace renderer::cli
