#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/emit/tree/files.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/graph.h"

namespace renderer::cli {
namespace {

using graph::Graph;

std::string drawn(const std::vector<Graph>& graphs, const Options& options) {
    switch (options.graph.format) {
        case GraphFormat::Svg:
            return graph::svg_text_of(graphs);
        case GraphFormat::Dot:
            return graph::dot_text_of(graphs);
        case GraphFormat::Json:
            return graph::json_text_of(graphs);
        case GraphFormat::Mermaid:
            break;
    }
    return graph::mermaid_text_of(graphs);
}

// What is read would be lost.
Result<Unit> check_picture_file(const Options& options) {
    std::error_code ignored;
    if (std::filesystem::equivalent(options.graph.output, options.load.path, ignored)) {
        return Error{{.rule = "output-overlaps-input",
                      .where = "-o",
                      .message = "the picture would overwrite the input",
                      .found = fmt::format("\"{}\"", options.graph.output),
                      .expected = "another file"}};
    }
    return Unit{};
}

}  // namespace

Result<int> run_graph(const Options& options, ClusterRuns& runs, Console& console) {
    TRY(check_picture_file(options));
    if (!runs.render_each(options.load)) {
        return runs.fail(console, "nothing drawn");
    }
    std::vector<Graph> graphs;
    for (const Run& run : runs.all()) {
        graphs.push_back(graph::make_graph(run.loaded, run.inventory, run.plan));
    }
    const std::string picture = drawn(graphs, options);
    const std::string& file = options.graph.output;
    if (!file.empty()) {
        TRY(emit::replace_file(file, file + ".tailrender-new", picture, emit::Durable::Yes));
    }
    runs.print_diagnostics(console);
    if (file.empty() && !console.show(picture)) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

}  // namespace renderer::cli
