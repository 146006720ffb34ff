#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/cli/append_format.h"
#include "renderer/cli/commands.h"
#include "renderer/cli/init/new_files.h"
#include "renderer/cli/init/repository.h"
#include "renderer/cli/rewrite.h"
#include "renderer/repo/link_guard.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"

namespace renderer::cli {
namespace {

namespace fs = std::filesystem;

std::string_view name_of(Applier applier) {
    switch (applier) {
        case Applier::Flux:
            return "Flux";
        case Applier::ArgoCd:
            return "Argo CD";
        case Applier::Fleet:
            return "Fleet";
        case Applier::Kubectl:
            return "neither Flux, Argo CD nor Fleet";
    }
    return "";
}

std::string_view name_of(Ci ci) {
    return ci == Ci::GitHub   ? "GitHub"
           : ci == Ci::GitLab ? "GitLab"
                              : "none found; --ci github or --ci gitlab adds one";
}

std::string found_text(const Repository& repository, Ci ci) {
    std::string out = "found\n";
    append_names_to(out, "  applied by: {}\n", name_of(repository.applier));
    append_names_to(out, "  inputs: {} for Tailscale\n", counted(repository.inputs, "file"));
    if (repository.operators.empty()) {
        out += "  operator: none\n";
    }
    for (const std::string& place : repository.operators) {
        append_names_to(out, "  operator: {}\n", place);
    }
    append_names_to(out, "  CI: {}\n", name_of(ci));
    return out;
}

void append_list(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) {
        return;
    }
    append_names_to(out, "{}\n", title);
    for (const std::string& line : lines) {
        append_names_to(out, "  {}\n", line);
    }
}

// Refuses a directory inside of a repository, whose engine has other paths.
Result<Unit> check_top(const std::string& path) {
    const std::string real = repo::canonical_path(path);
    if (repo::work_tree_top(real) == real) {
        return Unit{};
    }
    return Error{{.rule = "usage",
                  .where = path,
                  .message = "this is not the top of its repository",
                  .expected = "the directory that has .git",
                  .hint = "engines name paths from there"}};
}

Result<Unit> check_cluster(const Repository& repository, const std::string& cluster) {
    if (repository.applier != Applier::Flux || repository.clusters.size() < 2) {
        return Unit{};
    }
    if (cluster.empty()) {
        return Error{{.rule = "cluster-needed",
                      .where = "--cluster",
                      .message = "several clusters apply parts of this tree",
                      .found = some_of(repository.clusters, kNamesInMessage),
                      .expected = "one of them",
                      .hint = "run init for each"}};
    }
    if (shell_word(cluster) != cluster) {
        return Error{{.rule = "usage",
                      .where = "--cluster",
                      .message = "a job for CI would need quotes around this name",
                      .found = fmt::format("\"{}\"", cluster),
                      .expected = "letters, digits and \"/._-\"",
                      .hint = "rename the directory, or write the files by hand"}};
    }
    return Unit{};
}

}  // namespace

Result<int> run_init(const Options& options, ClusterRuns& runs, Console& console) {
    const std::string& top = options.load.path;
    Run& run = runs.all().emplace_back();
    const Repository repository = look_at(options.load, run.loaded.sources, run.diagnostics);
    if (run.diagnostics.has_errors()) {
        return runs.fail(console);
    }
    TRY(check_top(top));
    TRY(check_cluster(repository, options.load.cluster));
    const std::shared_ptr<const repo::SourceTree> tree = repo::source_tree(options.load);
    const Ci ci = options.ci.value_or(repository.ci);
    Additions additions = additions_for(repository, *tree, top, options.load.cluster);
    add_ci(ci, *tree, top, additions);
    if (!repository.operators.empty() && repository.applier != Applier::Fleet) {
        additions.by_hand.push_back(
            "remove the operator as docs/migration.md says: two controllers must not run");
    }

    std::vector<std::string> added;
    std::vector<std::string> kept;
    for (const NewFile& file : additions.files) {
        std::error_code ignored;
        const bool exists =
            fs::exists(fs::symlink_status(repo::join_path(top, file.path), ignored));
        (exists ? kept : added).push_back(file.path);
        if (options.write && !exists) {
            TRY(write_new_file(top, file.path, file.text, file.is_program));
        }
    }
    runs.print_diagnostics(console);
    std::string out = found_text(repository, ci);
    append_list(out, options.write ? "written" : "new, with --write", added);
    append_list(out, "already there, unchanged", kept);
    append_list(out, "by hand", additions.by_hand);
    append_list(out, "next", additions.commands);
    return console.show(out) ? 0 : 1;
}

}  // namespace renderer::cli
