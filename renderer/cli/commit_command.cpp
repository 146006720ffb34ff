#include <fmt/format.h>

#include "renderer/cli/commands.h"
#include "renderer/cli/exit_codes.h"
#include "renderer/cli/gates.h"
#include "renderer/cli/removals.h"
#include "renderer/cli/trees.h"
#include "renderer/emit/git/git_branch.h"
#include "renderer/emit/git/git_commit.h"
#include "renderer/git/git.h"
#include "renderer/repo/git_tree.h"
#include "renderer/repo/work_tree.h"

namespace renderer::cli {
namespace {

constexpr std::size_t kShortId = 12;

// The sources that are rendered, and the branch that the output is committed to.
struct Work {
    git::FoundRepository repository;
    std::shared_ptr<const repo::GitTree> source;
    std::string folder;  // in the branch
    emit::CommitRequest request;
};

// Opens the sources and the branch. Without --rev, HEAD is rendered, and the work tree must not
// differ from it. So the branch never contains output of files that are in no commit, for example
// files that Git ignores.
Result<Work> prepare(const Options& options) {
    Work work;
    const std::string& path = options.load.path;
    work.folder = TRY(emit::branch_folder(options.load.output_dir));
    work.repository = TRY(git::find_repository(path));
    git_repository* repository = work.repository.handle.get();
    if (options.revision.empty()) {
        TRY(repo::check_clean(path));
    }
    work.source =
        TRY(repo::GitTree::open(path, options.revision.empty() ? "HEAD" : options.revision,
                                options.load.values_files, options.load.context_dirs));
    work.request.branch = options.branch;
    work.request.path = work.source->path_in_repository(path);
    git_oid_fromstr(&work.request.source, work.source->commit().c_str());
    work.request.tip = TRY(emit::branch_tip(repository, options.branch));
    work.request.base =
        work.request.tip ? work.request.tip : emit::tracked_tip(repository, options.branch);
    return work;
}

std::string outcome(const Work& work, const emit::CommitReport& report) {
    if (!report.commit) {
        return fmt::format("{}: up to date\n", work.request.branch);
    }
    return fmt::format("{}: commit {}\n", work.request.branch,
                       git::hex_id(*report.commit).substr(0, kShortId));
}

// Returns readers for the trees of the branch. The result refers to `work`.
EarlierTrees trees_of_branch(const Work& work) {
    git_repository* repository = work.repository.handle.get();
    return {[repository, &work](const std::string& dir) {
                return emit::earlier_inventory(repository, work.request, dir);
            },
            [repository, &work](const std::string& dir, const repo::TreeInventory& inventory) {
                return emit::earlier_files(repository, work.request, dir, inventory);
            }};
}

Result<int> write(const Options& options, const Work& work, OutputTrees& trees, ClusterRuns& runs,
                  Console& console) {
    git_repository* repository = work.repository.handle.get();
    const auto find_gone = [&](const std::string& root, std::span<const std::string> clusters) {
        return emit::find_gone_trees(repository, work.request, root, clusters);
    };
    if (!TRY(trees.check(runs, find_gone))) {
        return runs.fail(console);
    }
    if (stops_at_gates(options, runs, console, TRY(trees.failed_gates()))) {
        return kGate;
    }
    std::vector<emit::RenderedTree> unpacked;
    for (const emit::PackedTree& packed : trees.all()) {
        unpacked.push_back(*packed.unpack());
    }
    const emit::CommitReport committed =
        TRY(emit::commit_trees(repository, work.request, unpacked));
    std::vector<std::string> summaries;
    for (const emit::WriteReport& done : committed.trees) {
        summaries.push_back(trees.summary(summaries.size(), work.request.branch, done));
    }
    runs.print_diagnostics(console);
    trees.report(runs, console, summaries);
    console.err(trees.removals());
    if (!options.quiet) {
        console.err(outcome(work, committed));
    }
    return 0;
}

}  // namespace

Result<int> run_commit(const Options& options, ClusterRuns& runs, Console& console) {
    const Work work = TRY(prepare(options));
    repo::LoadOptions load = options.load;
    load.output_dir.clear();  // it is a folder of the branch, not of the sources
    load.tree = work.source;
    std::vector<std::string> dirs = {work.folder};
    for (const emit::RenderedTree& tree :
         TRY(emit::find_gone_trees(work.repository.handle.get(), work.request, work.folder, {}))) {
        dirs.push_back(tree.dir);
    }
    load.earlier_units = TRY(earlier_units(dirs, trees_of_branch(work)));
    OutputTrees trees(options, Destination::Branch, work.folder, trees_of_branch(work));
    const auto take = [&](const Run& run, Diagnostics& later) { trees.take(run, later); };
    return runs.render_each(load, take) ? write(options, work, trees, runs, console)
                                        : runs.fail(console);
}

}  // namespace renderer::cli
