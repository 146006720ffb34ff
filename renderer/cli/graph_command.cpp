#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/cli/cluster_tree.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/diff_access.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/policy_file.h"
#include "renderer/cli/sides.h"
#include "renderer/diff/picture_notes.h"
#include "renderer/diff/rendered_tree.h"
#include "renderer/emit/tree/packed_text.h"
#include "renderer/graph/compare.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/graph.h"

namespace renderer::cli {
namespace {

using graph::Graph;

// The graphs of one of two sides, and its trees and policy, which say what the change means.
struct DrawnSide {
    std::vector<Graph> graphs;
    std::vector<diff::ClusterTree> trees;
    AccessSide access;
};

// What is printed. Of JSON, only its text is kept.
class Drawing {
public:
    explicit Drawing(const Options& options) : options_(options) {
        if (is_json()) {
            const std::string& head = options.graph.head;
            keep(json_.begin(has_sides() ? std::optional(graph::Sides{options.load.path, head})
                                         : std::nullopt));
        }
    }

    void add(Graph graph) {
        if (is_json()) {
            keep(json_.add(graph));
        } else {
            graphs_.push_back(std::move(graph));
        }
    }

    // Returns false if it could not be written.
    bool show(std::vector<std::string> notes, Console& console) {
        if (!is_json()) {
            return console.show(text_of(std::move(notes)));
        }
        keep(json_.end());
        return std::ranges::all_of(
            pieces_, [&](const emit::PackedText& piece) { return console.show(piece.unpack()); });
    }

private:
    [[nodiscard]] bool is_json() const { return options_.graph.format == GraphFormat::Json; }
    [[nodiscard]] bool has_sides() const { return !options_.graph.head.empty(); }
    void keep(const std::string& text) { pieces_.emplace_back(text); }

    [[nodiscard]] std::string text_of(std::vector<std::string> notes) const {
        if (options_.graph.format == GraphFormat::Dot) {
            return graph::dot_text_of(graphs_);
        }
        const graph::PictureTexts texts{
            .if_empty = has_sides() ? graph::kNoChange : graph::kNoDevices,
            .notes = std::move(notes)};
        return options_.graph.format == GraphFormat::Svg ? graph::svg_text_of(graphs_, texts)
                                                         : graph::mermaid_text_of(graphs_, texts);
    }

    const Options& options_;
    graph::JsonReport json_;
    std::vector<emit::PackedText> pieces_;
    std::vector<Graph> graphs_;  // of other formats
};

Diagnostic no_sources(const std::string& name, std::string_view what) {
    return {.rule = "usage",
            .where = std::string(what),
            .message = "a rendered tree says less than its sources, which a picture needs",
            .found = fmt::format("\"{}\"", name),
            .expected = "a directory with sources, REV or REV:PATH"};
}

Graph graph_of(const Run& run) {
    return graph::make_graph(run.loaded, run.inventory, run.plan);
}

// Adds a run that has no errors.
void add_run(const Run& run, unsigned threads, DrawnSide& side, AccessSideReader& access,
             Diagnostics& later) {
    if (run.diagnostics.has_errors()) {
        return;
    }
    side.graphs.push_back(graph_of(run));
    Result<diff::ClusterTree> tree = cluster_tree(run, threads);
    if (tree) {
        access.add(run, side.trees.emplace_back(std::move(*tree)));
    } else {
        later.add(std::move(tree.error().diagnostic));
    }
}

// Returns false after errors, which are among the diagnostics of the runs.
Result<bool> render_side(const Options& options, const std::string& name, std::string_view what,
                         ClusterRuns& runs, DrawnSide& side) {
    repo::LoadOptions load = options.load;
    load.fixes_sources = what == "BASE";  // as `diff` renders it
    const auto tree = TRY(open_side(name, what, load));
    if (!TRY(diff::read_rendered(*tree, load.path)).empty()) {
        return Error{no_sources(name, what)};
    }
    AccessSideReader access(options, {what, *tree, load.path});
    const bool is_rendered = runs.render_each(load, [&](const Run& run, Diagnostics& later) {
        add_run(run, load.threads, side, access, later);
    });
    if (!is_rendered || std::ranges::any_of(runs.all(), [](const Run& run) {
            return run.diagnostics.has_errors();
        })) {
        return false;
    }
    side.access = access.finish(runs);
    return true;
}

// `runs` are those of HEAD, or of the only side.
Result<int> finish(Drawing& drawing, std::vector<std::string> notes, const Options& options,
                   ClusterRuns& runs, Console& console) {
    runs.print_diagnostics(console);
    if (!drawing.show(std::move(notes), console)) {
        return kErrors;
    }
    return code_after_gates(options, runs.warnings().size(), 0, console);
}

Result<int> draw_change(const Options& options, ClusterRuns& runs, Console& console) {
    DrawnSide before, after;
    // This is not freed, because freeing it would only delay the end of the process.
    static auto* const base = new ClusterRuns(options.all);
    if (!TRY(render_side(options, options.load.path, "BASE", *base, before))) {
        return base->fail(console, fmt::format("BASE \"{}\" cannot be drawn", options.load.path));
    }
    if (!TRY(render_side(options, options.graph.head, "HEAD", runs, after))) {
        return runs.fail(console, fmt::format("HEAD \"{}\" cannot be drawn", options.graph.head));
    }
    TRY(check_access(options, before.access, after.access));
    if (before.access.is_ready() && after.access.is_ready()) {
        TRY(check_tailnet(options.policy.tailnet, {base, &runs}));
    }
    if (after.access.is_broken) {
        return runs.fail(console, fmt::format("HEAD \"{}\" cannot be drawn", options.graph.head));
    }
    if (before.access.is_broken) {
        base->print_diagnostics(console);
    }
    diff::Comparison comparison =
        diff::compare_trees(std::move(before.trees), std::move(after.trees),
                            secrets::SecretHash(secrets::random_key()));
    compare_access(before.access, after.access, comparison);
    std::vector<Graph> graphs =
        graph::compare_clusters(std::move(before.graphs), std::move(after.graphs));
    std::vector<std::string> notes = diff::picture_notes(comparison, graph::draws_anything(graphs));
    Drawing drawing(options);
    for (Graph& graph : graphs) {
        drawing.add(std::move(graph));
    }
    return finish(drawing, std::move(notes), options, runs, console);
}

}  // namespace

Result<int> run_graph(const Options& options, ClusterRuns& runs, Console& console) {
    if (!options.graph.head.empty()) {
        return draw_change(options, runs, console);
    }
    Drawing drawing(options);
    const auto take = [&](const Run& run, Diagnostics& /*later*/) {
        if (!run.diagnostics.has_errors()) {
            drawing.add(graph_of(run));
        }
    };
    return runs.render_each(options.load, take) ? finish(drawing, {}, options, runs, console)
                                                : runs.fail(console, "nothing drawn");
}

}  // namespace renderer::cli
