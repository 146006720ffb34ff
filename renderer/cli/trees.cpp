#include "renderer/cli/trees.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "renderer/cli/gates.h"
#include "renderer/cli/report.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/repo/paths.h"

namespace renderer::cli {
namespace {

namespace fs = std::filesystem;

bool is_in_git(const std::string& dir) {
    return std::ranges::any_of(with_parents(dir), [](const fs::path& path) {
        std::error_code ignored;
        return fs::exists(path / ".git", ignored);
    });
}

Diagnostic secret_in_git(const Options& options, Destination destination,
                         const emit::PlaintextSecret& secret) {
    return {
        .rule = "secret-in-git",
        .pos = secret.pos,
        .where = "-o",
        .object = secret.object,
        .message = "a Secret with plaintext credentials would be written to a Git work tree",
        .found = destination == Destination::Branch
                     ? fmt::format("a commit for branch {}", options.branch)
                     : fmt::format("output directory {} in a work tree", options.load.output_dir),
        .expected = "no credentials in Git",
        .hint =
            std::string(secret.foreign ? kForeignSecretHint
                                       : "create the Secret in the cluster (tailrender.secrets: "
                                         "reference), or pipe the stream to kubectl")};
}

Diagnostic secret_in_files(const plan::InstallPlan& install) {
    return {.rule = "secret-in-files",
            .pos = install.origin.pos,
            .where = "-o",
            .object = fmt::format("Secret/{}/{}", install.ns, install.names.oauth_secret),
            .message = "\"tailrender.secrets: generate\" only prints the credential to stdout",
            .found = "a run that writes or compares files",
            .hint =
                "pipe the stream to kubectl, or use \"tailrender.secrets: reference\" or "
                "\"external\""};
}

std::optional<Diagnostic> cut_off(const load::Loaded& loaded) {
    for (const engines::Bundle& bundle : loaded.bundles) {
        if (bundle.not_copied.empty()) {
            continue;
        }
        const auto& named = bundle.not_copied;
        Diagnostic found{
            .rule = "not-supported",
            .pos = named.front().pos,
            .message = "a bundle with a chart is copied, and this is not part of the copy",
            .found = fmt::format("\"{}\"", named.front().path),
            .expected = "a path in the bundle's directory, not hidden from Fleet",
            .hint =
                "move it into the bundle, or leave the bundle out of what is "
                "rendered: \"bundles\" in .tailrender.yaml"};
        for (const engines::NamedPath& path : std::span(named).subspan(1)) {
            found.notes.push_back(
                {.pos = path.pos, .object = {}, .text = fmt::format("nor is \"{}\"", path.path)});
        }
        return found;
    }
    return std::nullopt;
}

}  // namespace

std::vector<fs::path> with_parents(const std::string& path) {
    std::error_code code;
    const fs::path absolute = fs::absolute(path, code);
    const fs::path canonical = fs::weakly_canonical(absolute, code);
    std::vector<fs::path> found = {code ? absolute : canonical};
    while (found.back() != found.back().parent_path()) {
        found.push_back(found.back().parent_path());
    }
    return found;
}

bool may_be_empty(const Options& options, const load::Loaded& loaded) {
    return options.allow_empty ||
           std::ranges::any_of(loaded.documents, [](const Document& document) {
               return document.reachable && text_of(document.api_version) == kCustomVersion;
           });
}

Diagnostic empty_output(const Options& options, const load::Loaded& loaded) {
    return {.rule = "empty-output",
            .where = loaded.is_stream ? "<stdin>" : options.load.path,
            .message = "the output is empty: an applier would delete everything",
            .found = fmt::format("{} bytes of input with nothing to apply", loaded.input_bytes),
            .expected = "at least one Kubernetes document",
            .hint = "if the empty output is intended, use --allow-empty"};
}

RunCounts counts_of(const Run& run) {
    return {totals(run.loaded, run.plan, run.objects), dataplane_line(run.plan)};
}

void OutputTrees::take(const Run& run, Diagnostics& later) {
    is_refused_ = is_refused_ || run.diagnostics.has_errors();
    if (is_refused_) {
        return;
    }
    Result<emit::RenderedTree> tree = make_tree(run);
    if (!tree) {
        later.add(std::move(tree.error().diagnostic));
        is_refused_ = true;
        return;
    }
    Taken& taken = taken_.emplace_back();
    compare(&run, *tree, taken);
    // An additive tree always has a kustomization.yaml.
    const bool is_empty = run.loaded.only_generated
                              ? emit::Output{run.loaded, run.plan, run.objects}.made().empty()
                              : tree->files.empty();
    if (is_empty && !may_be_empty(options_, run.loaded)) {
        taken.empty = empty_output(options_, run.loaded);
    }
    taken.counts = counts_of(run);
    taken.cluster_level = run.loaded.cluster_level;
    add_gates(&run, *tree);
    trees_.emplace_back(std::move(*tree), trees_.empty() ? emit::PackedTree::Packing::None
                                                         : emit::PackedTree::Packing::Deflate);
}

// Makes a tree, with all checks that are needed before it is written or compared.
Result<emit::RenderedTree> OutputTrees::make_tree(const Run& run) const {
    const emit::Output output{run.loaded, run.plan, run.objects};
    if (destination_ == Destination::Branch || is_in_git(options_.load.output_dir)) {
        if (const auto secret = emit::find_plaintext_secret(output)) {
            return Error{secret_in_git(options_, destination_, *secret)};
        }
    }
    if (run.plan.install && run.plan.install->oauth_secret) {
        return Error{secret_in_files(*run.plan.install)};
    }
    if (std::optional<Diagnostic> found = cut_off(run.loaded)) {
        return Error{std::move(*found)};
    }
    emit::RenderedTree tree{
        .dir = run.loaded.cluster_level ? repo::join_path(root_, run.loaded.cluster) : root_,
        .files = TRY(emit::emit_tree(output, options_.load.threads)),
        .inventory = emit::tree_inventory(output, run.inventory.stock_operator.deployment)};
    if (!options_.load.values_files.empty()) {
        tree.inventory.settings.clear();
    }
    return tree;
}

void OutputTrees::compare(const Run* run, const emit::RenderedTree& tree, Taken& taken) {
    Result<Removals> removals = find_removals(options_, run, tree, earlier_, taken.found);
    if (removals) {
        taken.are_explained = removals->are_explained;
        removals_ += removals->line;
    } else {
        taken.failure = std::move(removals.error());
    }
}

void OutputTrees::add_gates(const Run* run, const emit::RenderedTree& tree) {
    Result<std::vector<Diagnostic>> failed = cli::failed_gates(options_, run, tree, earlier_);
    if (!failed) {
        gates_failure_ = gates_failure_ ? std::move(gates_failure_) : std::move(failed.error());
        return;
    }
    for (Diagnostic& error : *failed) {
        gates_.emplace_back(trees_.size(), std::move(error));
    }
}

// Returns the names of all clusters if the command renders all of them and the output has a
// directory for each. Other trees in the output are then of deleted clusters. Returns no names if
// the output itself is a tree and none was there: trees in it are then of deleted clusters, too.
Result<std::optional<std::vector<std::string>>> OutputTrees::all_clusters(ClusterRuns& runs) const {
    std::vector<std::string> names;
    names.reserve(runs.all().size());
    for (const Run& run : runs.all()) {
        if (run.loaded.cluster_level) {
            names.push_back(run.loaded.cluster);
        }
    }
    const bool is_first = names.empty() && TRY(earlier_.inventory(root_)).files.empty();
    return options_.load.cluster.empty() && (is_first || !names.empty())
               ? std::optional(std::move(names))
               : std::nullopt;
}

void OutputTrees::add_gone(std::vector<emit::RenderedTree> gone, Diagnostics& diagnostics) {
    for (emit::RenderedTree& tree : gone) {
        if (options_.prune) {
            compare(nullptr, tree, taken_.emplace_back());
            add_gates(nullptr, tree);
            trees_.emplace_back(std::move(tree), emit::PackedTree::Packing::None);
            continue;
        }
        diagnostics
            .warning("gone-cluster", {},
                     "written by an earlier run for other clusters than those of .tailrender.yaml")
            .where(tree.dir.empty() ? "." : tree.dir)
            .expected("no such output: appliers that follow it keep its devices")
            .hint("remove it with --prune, unless another tree is rendered to the same directory");
    }
}

Result<bool> OutputTrees::check(ClusterRuns& runs, const FindGone& find_gone) {
    if (is_refused_) {
        return false;
    }
    if (const std::optional<std::vector<std::string>> clusters = TRY(all_clusters(runs))) {
        add_gone(TRY(find_gone(root_, *clusters)), runs.last().diagnostics);
    }
    bool are_explained = true;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (i < runs.all().size()) {
            runs.all()[i].diagnostics.append(std::move(taken_[i].found));
        }
        if (taken_[i].failure) {
            return std::move(*taken_[i].failure);
        }
        are_explained = are_explained && taken_[i].are_explained;
    }
    const auto empty =
        std::ranges::find_if(taken_, [](const Taken& taken) { return taken.empty.has_value(); });
    if (are_explained && empty != taken_.end()) {
        runs.all()[static_cast<std::size_t>(empty - taken_.begin())].diagnostics.add(
            std::move(*empty->empty));
    }
    return are_explained && empty == taken_.end();
}

Result<std::vector<Diagnostic>> OutputTrees::failed_gates() {
    if (gates_failure_) {
        return std::move(*gates_failure_);
    }
    std::vector<Diagnostic> failed;
    for (auto& [tree, error] : gates_) {
        if (trees_.size() > 1) {
            error.message += fmt::format(", in \"{}\"", on_one_line(trees_[tree].dir()));
        }
        failed.push_back(std::move(error));
    }
    return failed;
}

std::string OutputTrees::summary(std::size_t tree, std::string_view branch,
                                 const emit::WriteReport& done) const {
    const std::string& dir = trees_[tree].dir();
    const std::string place = branch.empty() ? dir : fmt::format("{}:{}", branch, dir);
    return trees_[tree].is_gone() ? gone_summary(place, done, options_.all)
                                  : write_summary(place, done, options_.all);
}

void OutputTrees::report(ClusterRuns& runs, Console& console,
                         std::span<const std::string> summaries) const {
    for (std::size_t i = 0; i < trees_.size(); ++i) {
        if (i < runs.all().size()) {
            cli::report(options_, runs.all()[i], taken_[i].counts, console, summaries[i]);
        } else if (!options_.quiet) {
            console.err(summaries[i]);
        }
    }
}

void report(const Options& options, const Run& run, const RunCounts& counts, Console& console,
            const std::string& written) {
    if (options.quiet) {
        return;
    }
    console.tell([&](bool color) {
        const bool has_table = !options.load.install || !run.plan.devices.empty();
        return (has_table ? device_table(run.plan, run.loaded.sources, color, options.all,
                                         terminal_width(STDERR_FILENO))
                          : "") +
               counts.totals + written + counts.dataplane;
    });
}

}  // namespace renderer::cli
