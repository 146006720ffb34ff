// Git repositories through libgit2: finding and opening them, handles that free themselves, its
// errors as ours. What a repository may be is decided here; what is read from one and written to
// one is load's and emit's business. No git program is needed, and no GIT_* variable is looked at.
#pragma once

#include <git2.h>

#include <memory>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace renderer {

template <auto Free>
struct GitFree {
    template <typename T>
    void operator()(T* handle) const {
        Free(handle);
    }
};

using GitRepository = std::unique_ptr<git_repository, GitFree<git_repository_free>>;
using GitObject = std::unique_ptr<git_object, GitFree<git_object_free>>;
using GitPatch = std::unique_ptr<git_patch, GitFree<git_patch_free>>;
using GitCommit = std::unique_ptr<git_commit, GitFree<git_commit_free>>;
using GitTreeObject = std::unique_ptr<git_tree, GitFree<git_tree_free>>;
using GitTreeEntry = std::unique_ptr<git_tree_entry, GitFree<git_tree_entry_free>>;
using GitBlob = std::unique_ptr<git_blob, GitFree<git_blob_free>>;
using GitIndex = std::unique_ptr<git_index, GitFree<git_index_free>>;
using GitReference = std::unique_ptr<git_reference, GitFree<git_reference_free>>;
using GitRemote = std::unique_ptr<git_remote, GitFree<git_remote_free>>;
using GitSignature = std::unique_ptr<git_signature, GitFree<git_signature_free>>;

// Before any call of libgit2; what is below does it itself. Once per process, never undone: threads
// may still hold objects when it ends.
void start_git();

// What libgit2 said last on this thread, first letter lower case, no full stop.
std::string last_git_message();
// "what: why" with rule `git`.
Error git_failure(std::string_view what, std::string where);

struct FoundRepository {
    GitRepository handle;
    // The real directory that the top of a revision's tree stands for: that of the work tree, or a
    // bare repository itself.
    std::string root;
};

// The repository that the path is in; the path need not exist (any more). Never nullptr.
Result<FoundRepository> find_repository(const std::string& path);

// A commit by any spelling that git understands: HEAD, a branch, a tag, `main~2`, a shortened id.
Result<GitCommit> find_commit(git_repository* repository, const std::string& revision);

std::string hex_id(const git_oid& id);

}  // namespace renderer
