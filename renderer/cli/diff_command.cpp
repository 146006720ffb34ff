#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/parallel.h"
#include "renderer/base/printable.h"
#include "renderer/cli/cluster_tree.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/diff_access.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/removals.h"
#include "renderer/cli/sides.h"
#include "renderer/cli/source_links.h"
#include "renderer/diff/compare.h"
#include "renderer/diff/formats.h"
#include "renderer/diff/picture_notes.h"
#include "renderer/diff/rendered_tree.h"
#include "renderer/emit/emit.h"
#include "renderer/graph/compare.h"
#include "renderer/graph/formats.h"
#include "renderer/graph/graph.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {
namespace {

constexpr std::size_t kMinKey = 16;

// One side of the comparison, with its rendered trees.
class Side {
public:
    Side(const Options& options, const std::string& name, std::string_view what)
        : load_(options.load), name_(name), what_(what), runs_(options.all) {}

    // Renders the sources as if `fix` had changed them.
    void assume_fixed() { load_.fixes_sources = true; }

    void set(const std::vector<std::string>& sets) {
        load_.sets.insert(load_.sets.end(), sets.begin(), sets.end());
        needs_sources_ = !sets.empty();
    }

    // Returns false if the side cannot be read or rendered; `fail` prints why.
    bool read() {
        Result<bool> good = read_sources_or_rendered();
        return good ? *good : refuse(std::move(good.error().diagnostic));
    }

    bool read_again() {
        runs_.all().clear();
        trees_.clear();
        return read();
    }

    // Returns true if there are no sources, but rendered trees below the directory, which are not
    // read as sources. If the user meant those, nothing would be compared.
    [[nodiscard]] bool has_only_rendered() const { return !beside_.empty(); }
    [[nodiscard]] bool has_sources() const { return !is_rendered_ && !is_empty_; }
    int refuse_rendered(Console& console) {
        refuse(only_rendered(beside_));
        return fail(console);
    }

    // True if a device of `base` is missing.
    [[nodiscard]] bool loses_devices_of(const Side& base) const {
        std::set<std::string_view> parents;
        for (const diff::ClusterTree& tree : trees_) {
            for (const repo::InventoryDevice& device : tree.inventory.devices) {
                parents.insert(device.parent);
            }
        }
        return std::ranges::any_of(base.trees_, [&](const diff::ClusterTree& tree) {
            return std::ranges::any_of(tree.inventory.devices, [&](const auto& device) {
                return !parents.contains(device.parent);
            });
        });
    }

    // Lets units be checked that had devices in `base`.
    void check_units_of(const Side& base) {
        for (const diff::ClusterTree& tree : base.trees_) {
            add_units(tree.inventory, load_.earlier_units);
        }
    }

    // Adds the error and returns false.
    bool refuse(Diagnostic diagnostic) {
        runs_.all().emplace_back().diagnostics.add(std::move(diagnostic));
        return false;
    }

    // Adds errors if devices of `base` are missing, and no change of the sources explains it. Then
    // `render -o` would write nothing.
    bool explains_removals_from(const Side& base, const Options& options) {
        bool are_explained = true;
        for (std::size_t i = 0; i < runs_.all().size(); ++i) {
            for (const diff::ClusterTree& tree : base.trees_) {
                const bool is_pair = base.trees_.size() == 1 && trees_.size() == 1 &&
                                     (tree.cluster.empty() || trees_[i].cluster.empty());
                if (is_pair || tree.cluster == trees_[i].cluster) {
                    are_explained =
                        refuse_unexplained(options, base.name_, tree.inventory, trees_[i].inventory,
                                           runs_.all()[i], runs_.all()[i].diagnostics) &&
                        are_explained;
                }
            }
        }
        return are_explained;
    }

    int fail(Console& console) const {
        return runs_.fail(console, fmt::format("{} \"{}\" cannot be compared", what_, name_));
    }
    void print_diagnostics(Console& console) const { runs_.print_diagnostics(console); }
    [[nodiscard]] std::map<std::string, std::string> links(const std::string& base) {
        return base.empty() ? std::map<std::string, std::string>()
                            : source_links(base, runs_.all(), warnings());
    }
    // The policy's errors are among the diagnostics.
    AccessSide read_access(const Options& options) {
        AccessSideReader reader(options, {what_, *tree_, load_.path, is_rendered_});
        for (std::size_t i = 0; i < trees_.size() && !is_rendered_; ++i) {
            reader.add(runs_.all()[i], trees_[i]);
        }
        return reader.finish(runs_);
    }
    std::vector<diff::ClusterTree> take() { return std::move(trees_); }
    // True if the sources exist but cannot be rendered.
    [[nodiscard]] bool is_broken() const { return is_broken_; }
    [[nodiscard]] ClusterRuns& runs() { return runs_; }
    // Returns the first line of each warning.
    [[nodiscard]] std::vector<std::string> warnings() const { return runs_.warnings(); }

private:
    // Returns false if a run has an error.
    Result<bool> read_sources_or_rendered() {
        tree_ = TRY(open_side(name_, what_, load_));
        trees_ = TRY(diff::read_rendered(*tree_, load_.path));
        is_rendered_ = !trees_.empty();
        if (is_rendered_ && needs_sources_) {
            return Error{rendered_already()};
        }
        if (!is_rendered_) {
            is_broken_ = !render();
        }
        if (is_rendered_ || is_broken_) {
            return is_rendered_;
        }
        is_empty_ = std::ranges::all_of(
            trees_, [](const diff::ClusterTree& made) { return made.files.empty(); });
        if (is_empty_) {
            beside_ = TRY(diff::rendered_below(*tree_, load_.path));
        }
        return true;
    }

    bool render() {
        if (!runs_.render_each(load_)) {
            return false;
        }
        for (Run& run : runs_.all()) {
            Result<diff::ClusterTree> tree = cluster_tree(run, load_.threads);
            if (!tree) {
                run.diagnostics.add(std::move(tree.error().diagnostic));
                return false;
            }
            trees_.push_back(std::move(*tree));
        }
        return true;
    }

    [[nodiscard]] Diagnostic only_rendered(const std::vector<std::string>& trees) const {
        return {
            .rule = "empty-output",
            .where = std::string(what_),
            .message =
                "no manifests in the sources; rendered trees beside them are not read as sources",
            .found = fmt::format("rendered trees in {}", some_quoted(trees)),
            .expected = "sources, or rendered trees without manifests beside them",
            .hint = fmt::format("pass the rendered tree itself: \"{}\"",
                                load_.tree == nullptr
                                    ? repo::join_path(name_, trees.front())
                                    : fmt::format("{}:{}", revision_of(name_),
                                                  repo::join_path(load_.path, trees.front())))};
    }

    [[nodiscard]] Diagnostic rendered_already() const {
        return {.rule = "usage",
                .where = "--set-head",
                .message = "HEAD is a rendered tree, which no value changes any more",
                .found = fmt::format("\"{}\"", name_),
                .expected = "sources"};
    }

    repo::LoadOptions load_;
    const std::string& name_;
    std::string_view what_;
    std::shared_ptr<const repo::SourceTree> tree_;
    ClusterRuns runs_;
    std::vector<diff::ClusterTree> trees_;
    bool needs_sources_ = false;
    bool is_rendered_ = false;
    bool is_empty_ = false;
    bool is_broken_ = false;
    std::vector<std::string> beside_;  // rendered trees that were not read
};

std::vector<std::string> tree_names(const std::vector<diff::ClusterTree>& trees) {
    std::vector<std::string> names;
    names.reserve(trees.size());
    for (const diff::ClusterTree& tree : trees) {
        if (!tree.cluster.empty()) {
            names.push_back(tree.cluster);
        }
    }
    return names;
}

// Removes all clusters but the one that the user named, because rendered trees are read with all of
// their clusters. Unnamed trees stay. Returns an error if neither side has a cluster of that name.
Result<Unit> keep_cluster(const std::string& cluster, std::vector<diff::ClusterTree>& base,
                          std::vector<diff::ClusterTree>& head) {
    std::vector<std::string> names = tree_names(base);
    std::ranges::copy(tree_names(head), std::back_inserter(names));
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!names.empty() && std::ranges::find(names, cluster) == names.end()) {
        return Error{{.rule = "unknown-cluster",
                      .where = "--cluster",
                      .message = fmt::format("cluster \"{}\" not found on either side", cluster),
                      .expected = fmt::format("one of {}", some_quoted(names))}};
    }
    for (std::vector<diff::ClusterTree>* trees : {&base, &head}) {
        std::erase_if(*trees, [&](const diff::ClusterTree& tree) {
            return !tree.cluster.empty() && tree.cluster != cluster;
        });
    }
    return Unit{};
}

// Returns an error if a side has one tree without a name and the other side has several clusters,
// because it is not known which of them the tree is for.
Result<Unit> can_be_paired(const std::vector<diff::ClusterTree>& base,
                           const std::vector<diff::ClusterTree>& head) {
    for (const bool is_base : {true, false}) {
        const std::vector<diff::ClusterTree>& one = is_base ? base : head;
        const std::vector<std::string> names = tree_names(is_base ? head : base);
        if (one.size() == 1 && one.front().cluster.empty() && names.size() > 1) {
            return Error{
                {.rule = "cluster-needed",
                 .where = "--cluster",
                 .message = "one cluster without a name cannot be compared with several",
                 .found = fmt::format("{} in {}", some_quoted(names), is_base ? "HEAD" : "BASE"),
                 .expected =
                     fmt::format("one of these, to compare {} with", is_base ? "BASE" : "HEAD"),
                 .hint = "use --cluster NAME"}};
        }
    }
    return Unit{};
}

Result<std::string> hash_key(const Options& options) {
    if (options.hash_key_file.empty()) {
        return secrets::random_key();
    }
    std::string key = TRY(repo::DiskTree({options.hash_key_file}).read(options.hash_key_file));
    if (key.size() < kMinKey) {
        return Error{{.rule = "short-key",
                      .where = options.hash_key_file,
                      .message = "the hash key is too short",
                      .found = fmt::format("{} bytes", key.size()),
                      .expected = fmt::format("at least {} random bytes", kMinKey),
                      .hint = "head -c 32 /dev/urandom > FILE, outside the repository"}};
    }
    return key;
}

std::vector<graph::Graph> graphs_of(ClusterRuns& runs) {
    std::vector<graph::Graph> graphs;
    for (const Run& run : runs.all()) {
        graphs.push_back(graph::make_graph(run.loaded, run.inventory, run.plan));
    }
    return graphs;
}

// Returns the graphs of the change; nothing if the format has no picture, or a side is a rendered
// tree, which says less than a picture needs.
std::optional<std::vector<graph::Graph>> graphs_of_change(const Options& options, Side& base,
                                                          Side& head) {
    const bool has_picture =
        options.format == ReportFormat::Html || options.format == ReportFormat::Markdown;
    if (!has_picture || !base.has_sources() || !head.has_sources()) {
        return std::nullopt;
    }
    return graph::compare_clusters(graphs_of(base.runs()), graphs_of(head.runs()));
}

// Returns "" if there is nothing to draw, or too much.
std::string picture_of(const Options& options, const std::vector<graph::Graph>& graphs,
                       const diff::Comparison& comparison) {
    constexpr std::size_t kMostBytes = 1'000'000;
    const bool is_drawn = graph::draws_anything(graphs);
    const graph::PictureTexts texts{.if_empty = graph::kNoChange,
                                    .notes = diff::picture_notes(comparison, is_drawn)};
    if (options.format == ReportFormat::Markdown) {
        return is_drawn || !texts.notes.empty() ? graph::mermaid_text_of(graphs, texts, "####")
                                                : "";
    }
    std::string picture = graph::svg_text_of(graphs, texts);
    return picture.size() > kMostBytes ? "" : picture;
}

std::string report_of(const diff::Comparison& comparison, const Options& options,
                      std::string_view picture) {
    switch (options.format) {
        case ReportFormat::Markdown:
            return diff::markdown_report(comparison, picture);
        case ReportFormat::Json:
            return diff::json_report(comparison);
        case ReportFormat::Html:
            return diff::html_report(comparison, picture);
        case ReportFormat::Text:
            break;
    }
    return diff::terminal_report(comparison, wants_color(options.color, STDOUT_FILENO));
}

bool print_report(const diff::Comparison& comparison, const Options& options, Console& console,
                  std::string_view picture = {}) {
    const bool color = wants_color(options.color, STDOUT_FILENO);
    return console.show(report_of(comparison, options, picture),
                        color ? OwnColors::Yes : OwnColors::No);
}

// Reports the other side if one cannot be rendered, and returns the exit code. If only BASE cannot
// be rendered, that is not a failure: HEAD fixes it.
int report_alone(const Options& options, const secrets::SecretHash& hash, Side& broken, Side& good,
                 bool is_head, Console& console) {
    (void)broken.fail(console);
    diff::Comparison comparison = diff::compare_trees({}, good.take(), hash);
    comparison.base = options.base;
    comparison.head = options.head;
    comparison.alone = is_head ? "HEAD" : "BASE";
    if (is_head) {
        good.print_diagnostics(console);
        comparison.warnings = good.warnings();
        comparison.links = good.links(options.link_sources);
    }
    if (!print_report(comparison, options, console) || !is_head) {
        return kErrors;
    }
    // Nothing is known of what was public or there before.
    return code_after_gates(options, comparison.warnings.size(), options.exit_code ? kDifferent : 0,
                            console);
}

}  // namespace

Result<int> run_diff(const Options& options, ClusterRuns& /*runs*/, Console& console) {
    const secrets::SecretHash hash(TRY(hash_key(options)));
    // This is not freed, because freeing it would only delay the end of the process.
    static auto* const sides = new std::deque<Side>;
    Side& base = sides->emplace_back(options, options.base, "BASE");
    Side& head = sides->emplace_back(options, options.head, "HEAD");
    base.assume_fixed();
    head.set(options.head_sets);
    std::array<bool, 2> good = {};
    // With a fetcher, the sides run one after the other, so that its total limit is deterministic.
    for_each_parallel(2, options.load.fetcher ? 1 : options.load.threads,
                      [&](std::size_t i) { good[i] = (i == 0 ? base : head).read(); });
    if (good[0] != good[1] && (good[0] ? head : base).is_broken()) {
        return report_alone(options, hash, good[0] ? head : base, good[0] ? base : head, good[1],
                            console);
    }
    if (!good[0] || !good[1]) {
        return (good[0] ? head : base).fail(console);
    }
    if (head.has_sources() && head.loses_devices_of(base)) {
        head.check_units_of(base);
        if (!head.read_again()) {
            return head.fail(console);
        }
    }
    for (Side* side : {&base, &head}) {
        const Side& other = side == &base ? head : base;
        if (side->has_only_rendered() && !other.has_sources()) {
            return side->refuse_rendered(console);
        }
    }
    if (!head.explains_removals_from(base, options)) {
        return report_alone(options, hash, head, base, false, console);
    }
    const auto graphs = graphs_of_change(options, base, head);
    const AccessSide old_access = base.read_access(options);
    const AccessSide new_access = head.read_access(options);
    TRY(check_access(options, old_access, new_access));
    if (old_access.is_ready() && new_access.is_ready()) {
        TRY(check_tailnet(options.policy.tailnet, {&base.runs(), &head.runs()}));
    }
    if (new_access.is_broken) {
        return head.fail(console);
    }
    if (old_access.is_broken) {
        base.print_diagnostics(console);
    }
    std::vector<diff::ClusterTree> before = base.take();
    std::vector<diff::ClusterTree> after = head.take();
    Result<Unit> comparable = options.load.cluster.empty()
                                  ? can_be_paired(before, after)
                                  : keep_cluster(options.load.cluster, before, after);
    if (!comparable) {
        head.refuse(std::move(comparable.error().diagnostic));
        return head.fail(console);
    }
    diff::Comparison comparison = diff::compare_trees(std::move(before), std::move(after), hash);
    compare_access(old_access, new_access, comparison);
    comparison.base = options.base;
    comparison.head = options.head;
    comparison.warnings = head.warnings();
    comparison.links = head.links(options.link_sources);
    const std::string picture = graphs ? picture_of(options, *graphs, comparison) : std::string();
    head.print_diagnostics(console);
    if (!print_report(comparison, options, console, picture)) {
        return kErrors;
    }
    std::vector<Diagnostic> failed = failed_gates(options, comparison);
    std::ranges::move(failed_gains(options, old_access, new_access, comparison),
                      std::back_inserter(failed));
    return code_after_gates(options, comparison.warnings.size(),
                            options.exit_code && !comparison.is_equal() ? kDifferent : 0, console,
                            std::move(failed));
}

}  // namespace renderer::cli
