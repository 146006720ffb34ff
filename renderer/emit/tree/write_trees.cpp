// How the next run completes one that was killed at any instant:
//   1. All trees are compared first, reading only. A wanted path at which there is something that
//      we did not write stops the run here, with every directory untouched.
//   2. The inventory becomes (what it listed) + (what we are about to write), by rename and synced.
//      From here on every file and device that this run can leave behind is listed as ours.
//   3. Files are written: a temporary file in the directory of each, renamed into place. It has a
//      fixed name, so the next run finds and removes it after a kill: beside all files that are
//      listed or wanted.
//   4. Files that are listed but not wanted are removed, then directories that became empty.
//   5. The inventory becomes what is wanted, by rename; that of a deleted cluster is removed.
// After a kill in 2..5 the inventory lists a superset of our files on disk. The next run compares
// contents, not times: finished files stay, unfinished ones are written, leftovers of either run
// are stale and are removed. Files are not synced one by one: after a power failure a truncated
// file is listed, differs, and is written again.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "renderer/base/check.h"
#include "renderer/base/parallel.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/changes.h"
#include "renderer/emit/tree/files.h"
#include "renderer/emit/tree/output_directory.h"
#include "renderer/emit/tree/packed_tree.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

class TreeWriter {
public:
    TreeWriter(const RenderedTree& tree, OutputDirectory& dir, const Changes& changes)
        : tree_(tree), dir_(dir), changes_(changes) {}

    Result<WriteReport> run() {
        TRY(write_inventory(repo::inventory_text(both()), Durable::Yes));
        for (const std::string& path : changes_.stale) {
            if (stands_in_the_way(path)) {
                TRY(remove_stale(path));
            }
        }
        for (const OutputFile* file : changes_.created) {
            TRY(write(*file));
            report_.created.push_back(file->path);
        }
        for (const Replacement& change : changes_.changed) {
            TRY(write(*change.file));
            report_.changed.push_back(change.file->path);
        }
        for (const std::string& path : changes_.stale) {
            if (!stands_in_the_way(path)) {
                TRY(remove_stale(path));
            }
        }
        if (tree_.is_gone) {
            static_cast<void>(TRY(dir_.remove(repo::kInventoryFile)));
            ::rmdir(tree_.dir.c_str());  // fails if it contains other files
        } else {
            TRY(write_inventory(changes_.new_inventory, Durable::No));
        }
        std::sort(report_.removed.begin(), report_.removed.end());
        report_.unchanged = changes_.unchanged;
        return std::move(report_);
    }

private:
    repo::TreeInventory both() const {
        repo::TreeInventory all = changes_.listed;
        for (const OutputFile* file : changes_.created) {
            all.files.push_back(file->path);
        }
        std::ranges::copy(changes_.wanted.devices, std::back_inserter(all.devices));
        std::ranges::copy(changes_.wanted.settings, std::back_inserter(all.settings));
        all.sort();
        return all;
    }

    // True for a stale file where a directory is needed, or below one where a file is needed.
    bool stands_in_the_way(const std::string& path) const {
        const auto next = first_created_from(path + "/");
        if (next != changes_.created.end() && (*next)->path.starts_with(path + "/")) {
            return true;
        }
        for (std::string parent = repo::parent_path(path); parent != ".";
             parent = repo::parent_path(parent)) {
            const auto file = first_created_from(parent);
            if (file != changes_.created.end() && (*file)->path == parent) {
                return true;
            }
        }
        return false;
    }

    std::vector<const OutputFile*>::const_iterator first_created_from(
        const std::string& path) const {
        return std::ranges::lower_bound(changes_.created, path, {}, &OutputFile::path);
    }

    Result<Unit> write(const OutputFile& file) {
        return dir_.replace(file.path, file.content, Durable::No);
    }

    Result<Unit> write_inventory(const std::string& text, Durable durable) {
        if (text == inventory_) {
            return Unit{};
        }
        TRY(dir_.replace(repo::kInventoryFile, text, durable));
        inventory_ = text;
        return Unit{};
    }

    Result<Unit> remove_stale(const std::string& path) {
        if (TRY(dir_.remove(path))) {
            report_.removed.push_back(path);
        }
        dir_.remove_empty_parents(path);
        return Unit{};
    }

    const RenderedTree& tree_;
    OutputDirectory& dir_;
    const Changes& changes_;
    std::string inventory_ = changes_.old_inventory;
    WriteReport report_;
};

// Raises the limit: each tree is locked by an open file until all are written.
void allow_open_files(std::size_t count) {
    constexpr std::size_t kOthers = 512;  // some for each thread
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count + kOthers) {
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count + kOthers);
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// A tree to be written: first all trees are checked, then each is written.
class PendingTree {
public:
    explicit PendingTree(const PackedTree& packed) : packed_(&packed) {}

    // Reads only. A directory that does not exist yet is locked once it is created.
    Result<Unit> check() {
        TRY(check_output_links(packed_->dir()));
        if (file_kind(packed_->dir()) != FileKind::Directory) {
            return Unit{};
        }
        lock_.emplace(TRY(DirectoryLock::take(packed_->dir())));
        TRY(compare());
        const OutputDirectory dir = TRY(OutputDirectory::open(packed_->dir()));
        std::vector<std::string> files = changes_.listed.files;
        files.insert(files.end(), changes_.wanted.files.begin(), changes_.wanted.files.end());
        leftovers_ = dir.temporary_files(files);
        if (!is_gone() && changes_.empty() && leftovers_.empty()) {
            unchanged_.emplace().unchanged = changes_.unchanged;
        }
        forget();
        return Unit{};
    }

    Result<Unit> make_directory() {
        if (!lock_) {
            TRY(make_directories(packed_->dir()));
            lock_.emplace(TRY(DirectoryLock::take(packed_->dir())));
            // Another process may have been faster.
            std::error_code ignored;
            if (!std::filesystem::is_empty(packed_->dir(), ignored)) {
                TRY(compare());
                forget();
            }
        }
        return Unit{};
    }

    Result<WriteReport> write() {
        if (unchanged_) {
            return std::move(*unchanged_);
        }
        if (tree_ == nullptr) {
            TRY(compare());
        }
        OutputDirectory dir = TRY(OutputDirectory::open(packed_->dir()));
        for (const std::string& path : leftovers_) {
            static_cast<void>(TRY(dir.remove(path)));
        }
        WriteReport report = TRY(TreeWriter(*tree_, dir, changes_).run());
        forget();
        return report;
    }

    [[nodiscard]] bool is_gone() const { return packed_->is_gone(); }

private:
    Result<Unit> compare() {
        tree_ = packed_->unpack();
        changes_ = TRY(find_changes(*tree_));
        if (!changes_.foreign.empty()) {
            return not_ours(tree_->dir, changes_.foreign);
        }
        return Unit{};
    }

    // Of many trees, only those that are checked or written at the moment are in memory.
    void forget() {
        if (packed_->is_packed()) {
            changes_ = {};
            tree_ = nullptr;
        }
    }

    const PackedTree* packed_;
    std::optional<DirectoryLock> lock_;
    std::shared_ptr<const RenderedTree> tree_;
    Changes changes_;                       // of `tree_`
    std::vector<std::string> leftovers_;    // temporary files of a killed run
    std::optional<WriteReport> unchanged_;  // the report, if nothing is to be written
};

// Runs `step` for several trees at once, and `done` with each result in order, also with those of
// trees behind one that failed. Stops after these trees, with the error of the first that failed.
template <typename Step, typename Done>
Result<Unit> for_each_tree(std::span<PendingTree> trees, unsigned threads, const Step& step,
                           const Done& done) {
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t first = 0; first < trees.size(); first += kAtOnce) {
        const auto some = trees.subspan(first, std::min(kAtOnce, trees.size() - first));
        std::vector<std::optional<std::invoke_result_t<Step, PendingTree&>>> results(some.size());
        for_each_parallel(
            some.size(), threads, [&](std::size_t i) { results[i] = std::invoke(step, some[i]); },
            1);
        const auto failed = std::ranges::find_if(results, [](auto& result) { return !*result; });
        for (auto& result : results) {
            if (*result) {
                done(std::move(**result));
            }
        }
        if (failed != results.end()) {
            return std::move((*failed)->error());
        }
    }
    return Unit{};
}

}  // namespace

Result<Unit> write_trees(std::span<const PackedTree> trees, unsigned threads,
                         const std::function<void(const WriteReport&)>& written) {
    allow_open_files(trees.size());
    std::vector<PendingTree> pending(trees.begin(), trees.end());
    TRY(for_each_tree(std::span(pending), threads, &PendingTree::check, [](Unit) {}));
    for (PendingTree& tree : pending) {
        TRY(tree.make_directory());
    }
    // A gone tree may be around the others.
    CHECK(std::ranges::is_partitioned(pending, std::not_fn(&PendingTree::is_gone)));
    const auto gone = std::ranges::find_if(pending, &PendingTree::is_gone);
    TRY(for_each_tree(std::span(pending.begin(), gone), threads, &PendingTree::write, written));
    TRY(for_each_tree(std::span(gone, pending.end()), 1, &PendingTree::write, written));
    return Unit{};
}

}  // namespace renderer::emit
