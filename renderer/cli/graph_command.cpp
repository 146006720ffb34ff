#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/sides.h"
#include "renderer/diff/rendered_tree.h"
#include "renderer/graph/compare.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/graph.h"

namespace renderer::cli {
namespace {

using graph::Graph;

std::string drawn(const std::vector<Graph>& graphs, const Options& options) {
    const bool has_sides = !options.graph.head.empty();
    const std::string_view if_empty = has_sides ? graph::kNoChange : graph::kNoDevices;
    switch (options.graph.format) {
        case GraphFormat::Svg:
            return graph::svg_text_of(graphs, if_empty);
        case GraphFormat::Dot:
            return graph::dot_text_of(graphs);
        case GraphFormat::Json:
            break;
        case GraphFormat::Mermaid:
            return graph::mermaid_text_of(graphs, if_empty);
    }
    return graph::json_text_of(
        graphs, has_sides ? std::optional(graph::Sides{options.load.path, options.graph.head})
                          : std::nullopt);
}

Diagnostic no_sources(const std::string& name, std::string_view what) {
    return {.rule = "usage",
            .where = std::string(what),
            .message = "a rendered tree says less than its sources, which a picture needs",
            .found = fmt::format("\"{}\"", name),
            .expected = "a directory with sources, REV or REV:PATH"};
}

ClusterRuns::Take add_to(std::vector<Graph>& graphs) {
    return [&graphs](const Run& run, Diagnostics& /*later*/) {
        if (!run.diagnostics.has_errors()) {
            graphs.push_back(graph::make_graph(run.loaded, run.inventory, run.plan));
        }
    };
}

// Returns false after errors, which are among the diagnostics of the runs.
Result<bool> render_side(const Options& options, const std::string& name, std::string_view what,
                         ClusterRuns& runs, std::vector<Graph>& graphs) {
    repo::LoadOptions load = options.load;
    load.fixes_sources = what == "BASE";  // as `diff` renders it
    const auto tree = TRY(open_side(name, what, load));
    if (!TRY(diff::read_rendered(*tree, load.path)).empty()) {
        return Error{no_sources(name, what)};
    }
    return runs.render_each(load, add_to(graphs));
}

// Prints the picture. `runs` are those of HEAD, or of the only side.
Result<int> finish(const std::vector<Graph>& graphs, const Options& options, ClusterRuns& runs,
                   Console& console) {
    runs.print_diagnostics(console);
    if (!console.show(drawn(graphs, options))) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

}  // namespace

Result<int> run_graph(const Options& options, ClusterRuns& runs, Console& console) {
    std::vector<Graph> before, after;
    if (options.graph.head.empty()) {
        return runs.render_each(options.load, add_to(after))
                   ? finish(after, options, runs, console)
                   : runs.fail(console, "nothing drawn");
    }
    // This is not freed, because freeing it would only delay the end of the process.
    static auto* const base = new ClusterRuns(options.all);
    if (!TRY(render_side(options, options.load.path, "BASE", *base, before))) {
        return base->fail(console, fmt::format("BASE \"{}\" cannot be drawn", options.load.path));
    }
    if (!TRY(render_side(options, options.graph.head, "HEAD", runs, after))) {
        return runs.fail(console, fmt::format("HEAD \"{}\" cannot be drawn", options.graph.head));
    }
    return finish(graph::compare_clusters(std::move(before), std::move(after)), options, runs,
                  console);
}

}  // namespace renderer::cli
