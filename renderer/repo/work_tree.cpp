#include "renderer/repo/work_tree.h"

#include <fmt/format.h>

#include "renderer/git/git.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/repo/paths.h"

namespace renderer::repo {

namespace {

using StatusList = std::unique_ptr<git_status_list, git::GitFree<git_status_list_free>>;

constexpr std::size_t kMostNotes = 10;

std::string path_of(const git_status_entry& entry) {
    const git_diff_delta* delta =
        entry.index_to_workdir != nullptr ? entry.index_to_workdir : entry.head_to_index;
    return delta->new_file.path;
}

bool counts(const git_status_entry& entry, const std::string& below) {
    if (entry.status != GIT_STATUS_WT_NEW) {
        return true;
    }
    const std::string path = normal_path(path_of(entry));
    return below.empty() || is_within(path, below) || is_within(below, path);
}

}  // namespace

Result<Unit> check_clean(const std::string& path) {
    const git::FoundRepository repository = TRY(git::find_repository(path));
    if (git_repository_is_bare(repository.handle.get()) == 1) {
        return Unit{};
    }
    const std::string below = relative_path(DiskTree().real_path(path), repository.root);
    git_status_options options{};
    git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
    options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
    git_status_list* got = nullptr;
    if (git_status_list_new(&got, repository.handle.get(), &options) != 0) {
        return git::git_failure("cannot read the status of the work tree", path);
    }
    const StatusList list(got);
    Error dirty{
        {.rule = "dirty-tree",
         .where = path,
         .message = "the work tree has uncommitted changes",
         .hint = "commit the changes, or pass a revision with --rev: \"--rev HEAD\" ignores them"}};
    std::vector<Note>& notes = dirty.diagnostic.notes;
    for (std::size_t i = 0; i < git_status_list_entrycount(got); ++i) {
        const git_status_entry& entry = *git_status_byindex(got, i);
        if (counts(entry, below) && notes.size() < kMostNotes) {
            const bool is_new = entry.status == GIT_STATUS_WT_NEW;
            notes.push_back(
                {.text = fmt::format("{} \"{}\"", is_new ? "new:" : "changed:", path_of(entry))});
        }
    }
    if (notes.empty()) {
        return Unit{};
    }
    return dirty;
}

}  // namespace renderer::repo
