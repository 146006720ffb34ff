#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/cli/cluster_tree.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/sides.h"
#include "renderer/diff/picture_notes.h"
#include "renderer/diff/rendered_tree.h"
#include "renderer/graph/compare.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/graph.h"

namespace renderer::cli {
namespace {

using graph::Graph;

// The graphs of a side, and with two sides its trees, which say what the change means.
struct DrawnSide {
    std::vector<Graph> graphs;
    std::vector<diff::ClusterTree> trees;
};

std::string drawn(const std::vector<Graph>& graphs, std::vector<std::string> notes,
                  const Options& options) {
    const bool has_sides = !options.graph.head.empty();
    const graph::PictureTexts texts{.if_empty = has_sides ? graph::kNoChange : graph::kNoDevices,
                                    .notes = std::move(notes)};
    switch (options.graph.format) {
        case GraphFormat::Svg:
            return graph::svg_text_of(graphs, texts);
        case GraphFormat::Dot:
            return graph::dot_text_of(graphs);
        case GraphFormat::Json:
            break;
        case GraphFormat::Mermaid:
            return graph::mermaid_text_of(graphs, texts);
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

// Adds each run that has no errors, and its tree if it is one of two sides.
class SideReader {
public:
    SideReader(bool with_trees, DrawnSide& side) : with_trees_(with_trees), side_(side) {}

    void operator()(const Run& run, Diagnostics& later) {
        if (run.diagnostics.has_errors()) {
            return;
        }
        side_.graphs.push_back(graph::make_graph(run.loaded, run.inventory, run.plan));
        if (!with_trees_) {
            return;
        }
        Result<std::vector<emit::OutputFile>> files =
            emit::emit_tree({run.loaded, run.plan, run.objects});
        if (files) {
            side_.trees.push_back(cluster_tree(run, std::move(*files)));
        } else {
            later.add(std::move(files.error().diagnostic));
        }
    }

private:
    bool with_trees_;
    DrawnSide& side_;
};

// Returns false after errors, which are among the diagnostics of the runs.
Result<bool> render_side(const Options& options, const std::string& name, std::string_view what,
                         ClusterRuns& runs, DrawnSide& side) {
    repo::LoadOptions load = options.load;
    load.fixes_sources = what == "BASE";  // as `diff` renders it
    const auto tree = TRY(open_side(name, what, load));
    if (!TRY(diff::read_rendered(*tree, load.path)).empty()) {
        return Error{no_sources(name, what)};
    }
    return runs.render_each(load, SideReader(true, side)) &&
           std::ranges::none_of(runs.all(),
                                [](const Run& run) { return run.diagnostics.has_errors(); });
}

// Prints the picture. `runs` are those of HEAD, or of the only side.
Result<int> finish(const std::vector<Graph>& graphs, std::vector<std::string> notes,
                   const Options& options, ClusterRuns& runs, Console& console) {
    runs.print_diagnostics(console);
    if (!console.show(drawn(graphs, std::move(notes), options))) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

}  // namespace

Result<int> run_graph(const Options& options, ClusterRuns& runs, Console& console) {
    DrawnSide before, after;
    if (options.graph.head.empty()) {
        return runs.render_each(options.load, SideReader(false, after))
                   ? finish(after.graphs, {}, options, runs, console)
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
    const diff::Comparison comparison =
        diff::compare_trees(std::move(before.trees), std::move(after.trees),
                            secrets::SecretHash(secrets::random_key()));
    const std::vector<Graph> graphs =
        graph::compare_clusters(std::move(before.graphs), std::move(after.graphs));
    return finish(graphs,
                  graph::draws_anything(graphs) ? diff::picture_notes(comparison)
                                                : std::vector<std::string>(),
                  options, runs, console);
}

}  // namespace renderer::cli
