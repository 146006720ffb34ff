#include "renderer/cli/trees.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "renderer/cli/report.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "renderer/plan/install/controller.h"
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

// Makes a tree, with all checks that are needed before it is written or compared.
Result<std::vector<emit::OutputFile>> make_tree(const Options& options, Destination destination,
                                                const Run& run) {
    const emit::Output output{run.loaded, run.plan, run.objects};
    if (destination == Destination::Branch || is_in_git(options.load.output_dir)) {
        if (const auto secret = emit::find_plaintext_secret(output)) {
            return Error{secret_in_git(options, destination, *secret)};
        }
    }
    if (run.plan.install && run.plan.install->oauth_secret) {
        return Error{secret_in_files(*run.plan.install)};
    }
    if (std::optional<Diagnostic> found = cut_off(run.loaded)) {
        return Error{std::move(*found)};
    }
    return emit::emit_tree(output);
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

std::vector<emit::RenderedTree> make_trees(const Options& options, Destination destination,
                                           const std::string& root, ClusterRuns& runs) {
    std::vector<emit::RenderedTree> trees;
    trees.reserve(runs.all().size());
    for (Run& run : runs.all()) {
        Result<std::vector<emit::OutputFile>> files = make_tree(options, destination, run);
        if (!files) {
            run.diagnostics.add(std::move(files.error().diagnostic));
            return {};
        }
        const load::Loaded& loaded = run.loaded;
        const emit::Output output{run.loaded, run.plan, run.objects};
        trees.push_back(
            {.dir = loaded.cluster_level ? repo::join_path(root, loaded.cluster) : root,
             .files = std::move(*files),
             .devices = emit::tree_devices(output),
             .settings = options.load.values_files.empty()
                             ? emit::tree_settings(output, run.inventory.stock_operator.deployment)
                             : std::vector<repo::InventoryDevice>()});
    }
    return trees;
}

bool refuse_empty(const Options& options, const std::vector<emit::RenderedTree>& trees,
                  ClusterRuns& runs) {
    for (std::size_t i = 0; i < runs.all().size(); ++i) {
        Run& run = runs.all()[i];
        // An additive tree always has a kustomization.yaml.
        const bool is_empty = run.loaded.only_generated
                                  ? emit::Output{run.loaded, run.plan, run.objects}.made().empty()
                                  : trees[i].files.empty();
        if (is_empty && !may_be_empty(options, run.loaded)) {
            run.diagnostics.add(empty_output(options, run.loaded));
            return true;
        }
    }
    return false;
}

std::optional<std::vector<std::string>> all_clusters(const Options& options, ClusterRuns& runs) {
    std::vector<std::string> names;
    names.reserve(runs.all().size());
    for (const Run& run : runs.all()) {
        if (!options.load.cluster.empty() || !run.loaded.cluster_level) {
            return std::nullopt;
        }
        names.push_back(run.loaded.cluster);
    }
    return names;
}

void add_gone_trees(const Options& options, ClusterRuns& runs, std::vector<emit::RenderedTree> gone,
                    std::vector<emit::RenderedTree>& trees) {
    for (emit::RenderedTree& tree : gone) {
        if (options.prune) {
            trees.push_back(std::move(tree));
            continue;
        }
        runs.last()
            .diagnostics
            .warning("gone-cluster", {},
                     "written by an earlier run for a cluster that is not in .tailrender.yaml")
            .where(tree.dir)
            .expected("no such output: appliers that follow it keep its devices")
            .hint("remove it with --prune, unless another tree is rendered to the same directory");
    }
}

void report_trees(const Options& options, ClusterRuns& runs, Console& console,
                  const Written& written) {
    std::size_t i = 0;
    for (const emit::RenderedTree& tree : written.trees) {
        const std::string place =
            written.branch.empty() ? tree.dir : fmt::format("{}:{}", written.branch, tree.dir);
        const emit::WriteReport& done = written.reports[i];
        if (i < runs.all().size()) {
            report(options, runs.all()[i], console, write_summary(place, done, options.all));
        } else if (!options.quiet) {
            console.err(gone_summary(place, done, options.all));
        }
        ++i;
    }
}

void report(const Options& options, const Run& run, Console& console, const std::string& written) {
    if (options.quiet) {
        return;
    }
    console.tell([&](bool color) {
        const bool has_table = !options.load.install || !run.plan.devices.empty();
        return (has_table ? device_table(run.plan, run.loaded.sources, color, options.all,
                                         terminal_width(STDERR_FILENO))
                          : "") +
               totals(run.loaded, run.plan, run.objects) + written + dataplane_line(run.plan);
    });
}

}  // namespace renderer::cli
