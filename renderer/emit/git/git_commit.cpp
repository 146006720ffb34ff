#include "renderer/emit/git/git_commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/emit/git/git_branch.h"
#include "renderer/emit/tree/changes.h"
#include "renderer/repo/inventory.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {

namespace {

constexpr const char* kSource = "Tailrender-Source";
constexpr const char* kPath = "Tailrender-Path";
constexpr const char* kTree = "Tailrender-Tree";
constexpr const char* kVersion = "Tailrender-Version";
constexpr std::size_t kShortId = 12;

using Trailers = std::map<std::string, std::string>;

Trailers trailers_of(const git_commit* commit) {
    git_message_trailer_array found{};
    Trailers trailers;
    if (git_message_trailers(&found, git_commit_message(commit)) == 0) {
        for (std::size_t i = 0; i < found.count; ++i) {
            trailers[found.trailers[i].key] = found.trailers[i].value;
        }
        git_message_trailer_array_free(&found);
    }
    return trailers;
}

Result<Unit> check_ours(const git_commit* tip, const std::string& branch) {
    const Trailers trailers = trailers_of(tip);
    const auto tree = trailers.find(kTree);
    const bool says =
        trailers.contains(kSource) && trailers.contains(kVersion) && tree != trailers.end();
    if (says && tree->second == git::hex_id(*git_commit_tree_id(tip))) {
        return Unit{};
    }
    const std::string id = git::hex_id(*git_commit_id(tip)).substr(0, kShortId);
    return Error{{.rule = "foreign-branch",
                  .where = "--branch",
                  .message = "the last commit of the branch was not made by tailrender",
                  .found = fmt::format("\"{}\" at {}, {}", branch, id,
                                       says ? "whose tree is not the one in its message"
                                            : "without the trailers of a rendered commit"),
                  .expected = "a branch that only tailrender commits to, or a new name",
                  .hint = "choose another branch"}};
}

// Takes paths as in messages, `BRANCH:FOLDER/…`; Git allows no colon in the name of a branch.
class BranchPlace : public Place {
public:
    BranchPlace(git_repository* repository, const git_tree* tree)
        : repository_(repository), tree_(tree) {}

    [[nodiscard]] FileKind kind(const std::string& path) const override {
        const git::GitTreeEntry entry = entry_at(path);
        if (entry == nullptr) {
            return FileKind::Missing;
        }
        switch (git_tree_entry_filemode(entry.get())) {
            case GIT_FILEMODE_BLOB:
            case GIT_FILEMODE_BLOB_EXECUTABLE:
                return FileKind::File;
            case GIT_FILEMODE_TREE:
                return FileKind::Directory;
            case GIT_FILEMODE_UNREADABLE:
            case GIT_FILEMODE_LINK:
            case GIT_FILEMODE_COMMIT:
                break;
        }
        return FileKind::Other;
    }

    [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
        if (kind(path) != FileKind::File) {
            return std::optional<std::string>();
        }
        git_blob* got = nullptr;
        if (git_blob_lookup(&got, repository_, git_tree_entry_id(entry_at(path).get())) != 0) {
            return git::git_failure("cannot read the file", path);
        }
        const git::GitBlob blob(got);
        return std::optional<std::string>(std::in_place,
                                          static_cast<const char*>(git_blob_rawcontent(got)),
                                          static_cast<std::size_t>(git_blob_rawsize(got)));
    }

    [[nodiscard]] Result<std::vector<std::string>> directories(
        const std::string& path) const override {
        const std::string dir = in_branch(path);
        const git::GitTreeEntry entry = entry_at(path);
        const git_tree* tree = dir.empty() ? tree_ : nullptr;
        git_tree* got = nullptr;
        if (entry != nullptr && git_tree_entry_type(entry.get()) == GIT_OBJECT_TREE) {
            if (git_tree_lookup(&got, repository_, git_tree_entry_id(entry.get())) != 0) {
                return git::git_failure("cannot read the directory", path);
            }
            tree = got;
        }
        const git::GitTreeObject owner(got);
        std::vector<std::string> names;
        for (std::size_t i = 0; tree != nullptr && i < git_tree_entrycount(tree); ++i) {
            const git_tree_entry* below = git_tree_entry_byindex(tree, i);
            if (git_tree_entry_type(below) == GIT_OBJECT_TREE) {
                names.emplace_back(git_tree_entry_name(below));
            }
        }
        std::ranges::sort(names);
        return names;
    }

    static std::string in_branch(std::string_view path) {
        path.remove_prefix(path.find(':') + 1);
        path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
        return std::string(path);
    }

private:
    [[nodiscard]] git::GitTreeEntry entry_at(const std::string& path) const {
        git_tree_entry* got = nullptr;
        if (tree_ != nullptr) {
            git_tree_entry_bypath(&got, tree_, in_branch(path).c_str());
        }
        return git::GitTreeEntry(got);
    }

    git_repository* repository_;
    const git_tree* tree_;
};

// The next tree of the branch.
class NextTree {
public:
    explicit NextTree(git_repository* repository) : repository_(repository) {}

    Result<Unit> begin(const git_tree* base) {
        git_index* index = nullptr;
        if (git_index_new(&index) != 0 ||
            (base != nullptr && git_index_read_tree(index, base) != 0)) {
            return git::git_failure("cannot read the tree of the branch", "--branch");
        }
        index_.reset(index);
        return Unit{};
    }

    Result<WriteReport> change(const RenderedTree& tree, const Changes& changes) {
        const std::string& dir = tree.dir;
        const std::string inventory = repo::join_path(dir, repo::kInventoryFile);
        WriteReport report;
        report.unchanged = changes.unchanged;
        for (const std::string& path : changes.stale) {
            const std::string full = repo::join_path(dir, path);
            if (git_index_get_bypath(index_.get(), full.c_str(), 0) != nullptr) {
                git_index_remove(index_.get(), full.c_str(), 0);
                report.removed.push_back(path);
            }
        }
        for (const OutputFile* file : changes.created) {
            TRY(put(repo::join_path(dir, file->path), file->content));
            report.created.push_back(file->path);
        }
        for (const Replacement& replacement : changes.changed) {
            TRY(put(repo::join_path(dir, replacement.file->path), replacement.file->content));
            report.changed.push_back(replacement.file->path);
        }
        if (tree.is_gone) {
            git_index_remove(index_.get(), inventory.c_str(), 0);
        } else if (changes.new_inventory != changes.old_inventory) {
            TRY(put(inventory, changes.new_inventory));
        }
        return report;
    }

    Result<git_oid> write() {
        git_oid id{};
        if (git_index_write_tree_to(&id, index_.get(), repository_) != 0) {
            return git::git_failure("cannot write the tree", "--branch");
        }
        return id;
    }

private:
    Result<Unit> put(const std::string& path, const std::string& content) {
        git_index_entry entry{};
        entry.mode = GIT_FILEMODE_BLOB;
        entry.path = path.c_str();
        if (git_blob_create_from_buffer(&entry.id, repository_, content.data(), content.size()) !=
                0 ||
            git_index_add(index_.get(), &entry) != 0) {
            return git::git_failure("cannot write the file", path);
        }
        return Unit{};
    }

    git_repository* repository_;
    git::GitIndex index_;
};

Result<git::GitCommit> lookup(git_repository* repository, const git_oid& id, const char* where) {
    git_commit* got = nullptr;
    if (git_commit_lookup(&got, repository, &id) != 0) {
        return git::git_failure("cannot read the commit", where);
    }
    return git::GitCommit(got);
}

Result<git::GitTreeObject> tree_of(const git_commit* commit) {
    git_tree* tree = nullptr;
    if (git_commit_tree(&tree, commit) != 0) {
        return git::git_failure("cannot read the tree of the branch", "--branch");
    }
    return git::GitTreeObject(tree);
}

std::string message_of(const CommitRequest& request, const git_oid& tree) {
    const std::string source = git::hex_id(request.source);
    const std::string path = request.path.empty() ? "." : request.path;
    return fmt::format("Render {} at {}\n\n{}: {}\n{}: {}\n{}: {}\n{}: {}\n", path,
                       source.substr(0, kShortId), kSource, source, kPath, path, kTree,
                       git::hex_id(tree), kVersion, TAILRENDER_VERSION);
}

// The author's date is that of the source commit, the committer's the current time.
Result<git_oid> write_commit(git_repository* repository, const git_signature* who,
                             const CommitRequest& request, const git_oid& tree_id,
                             const git_commit* parent) {
    const git::GitCommit source = TRY(lookup(repository, request.source, "--rev"));
    git_signature* author = nullptr;
    git_tree* tree = nullptr;
    const bool made =
        git_signature_new(&author, who->name, who->email, git_commit_time(source.get()),
                          git_commit_time_offset(source.get())) == 0 &&
        git_tree_lookup(&tree, repository, &tree_id) == 0;
    const git::GitSignature author_owner(author);
    const git::GitTreeObject tree_owner(tree);
    git_oid id{};
    const std::size_t parents = parent == nullptr ? 0 : 1;
    if (!made ||
        git_commit_create(&id, repository, nullptr, author, who, nullptr,
                          message_of(request, tree_id).c_str(), tree, parents, &parent) != 0) {
        return git::git_failure("cannot write the commit", "--branch");
    }
    return id;
}

}  // namespace

Result<std::string> branch_folder(const std::string& output) {
    const std::filesystem::path path =
        std::filesystem::path(output).lexically_normal().relative_path();
    std::string folder = path.generic_string();
    while (folder.ends_with('/')) {
        folder.pop_back();
    }
    folder = folder == "." ? "" : folder;
    const bool leaves = std::any_of(
        path.begin(), path.end(), [](const auto& name) { return name == ".." || name == ".git"; });
    if (output.starts_with('/') || leaves) {
        return Error{{.rule = "usage",
                      .where = "-o",
                      .message = "the directory in the branch must be a relative path",
                      .found = fmt::format("\"{}\"", output),
                      .expected = "for example \"clusters/home\""}};
    }
    return folder;
}

Result<std::vector<RenderedTree>> find_gone_trees(git_repository* repository,
                                                  const CommitRequest& request,
                                                  const std::string& root,
                                                  std::span<const std::string> clusters) {
    std::vector<RenderedTree> trees;
    if (!request.base) {
        return trees;
    }
    const git::GitCommit parent = TRY(lookup(repository, *request.base, "--branch"));
    const git::GitTreeObject base = TRY(tree_of(parent.get()));
    const BranchPlace place(repository, base.get());
    const std::string dir = fmt::format("{}:{}", request.branch, root);
    for (const std::string& name : TRY(gone_clusters(place, dir, clusters))) {
        trees.push_back(gone_tree(root, name, clusters));
    }
    return trees;
}

Result<repo::TreeInventory> earlier_inventory(git_repository* repository,
                                              const CommitRequest& request,
                                              const std::string& dir) {
    if (!request.base) {
        return repo::TreeInventory{};
    }
    const git::GitCommit parent = TRY(lookup(repository, *request.base, "--branch"));
    const git::GitTreeObject base = TRY(tree_of(parent.get()));
    return earlier_inventory(BranchPlace(repository, base.get()),
                             fmt::format("{}:{}", request.branch, dir));
}

Result<std::vector<OutputFile>> earlier_files(git_repository* repository,
                                              const CommitRequest& request, const std::string& dir,
                                              const repo::TreeInventory& inventory) {
    if (!request.base) {
        return std::vector<OutputFile>();
    }
    const git::GitCommit parent = TRY(lookup(repository, *request.base, "--branch"));
    const git::GitTreeObject base = TRY(tree_of(parent.get()));
    return earlier_files(BranchPlace(repository, base.get()),
                         fmt::format("{}:{}", request.branch, dir), inventory);
}

Result<CommitReport> commit_trees(git_repository* repository, const CommitRequest& request,
                                  std::span<const RenderedTree> trees) {
    git::GitCommit parent;
    git::GitTreeObject base;
    if (request.base) {
        parent = TRY(lookup(repository, *request.base, "--branch"));
        TRY(check_ours(parent.get(), request.branch));
        base = TRY(tree_of(parent.get()));
    }
    const BranchPlace place(repository, base.get());
    std::vector<Changes> changes;
    for (const RenderedTree& tree : trees) {
        const std::string dir = fmt::format("{}:{}", request.branch, tree.dir);
        changes.push_back(TRY(find_changes(place, dir, tree)));
        if (!changes.back().foreign.empty()) {
            return not_ours(dir, changes.back().foreign);
        }
    }
    NextTree next(repository);
    TRY(next.begin(base.get()));
    CommitReport report;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        report.trees.push_back(TRY(next.change(trees[i], changes[i])));
    }
    const git_oid tree = TRY(next.write());
    if (base != nullptr ? git_oid_equal(git_tree_id(base.get()), &tree) != 0
                        : std::ranges::all_of(changes, &Changes::empty)) {
        return report;
    }
    const git::GitSignature who = TRY(committer(repository));
    report.commit = TRY(write_commit(repository, who.get(), request, tree, parent.get()));
    TRY(move_branch(repository, who.get(),
                    {.branch = request.branch,
                     .from = request.tip,
                     .to = *report.commit,
                     .reason = "commit: render " + git::hex_id(request.source)}));
    return report;
}

}  // namespace renderer::emit
