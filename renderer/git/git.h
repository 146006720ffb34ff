// Git repositories through libgit2: finds and opens them, frees handles, converts errors. It
// decides which repositories are accepted; load and emit read and write their contents. Needs no
// git program and reads no GIT_* variable.
#pragma once

#include <git2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace renderer::git {

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
using GitSignature = std::unique_ptr<git_signature, GitFree<git_signature_free>>;

// Initialises libgit2. It must be called before any function of libgit2; the functions below call
// it themselves. libgit2 is initialised once per process and never shut down, since threads may
// still hold objects when the process ends.
void start_git();

// Returns libgit2's last message on this thread, first letter lower case, without a full stop.
std::string last_git_message();
// Returns the error "what: why" with rule `git`.
Error git_failure(std::string_view what, std::string where);

struct FoundRepository {
    GitRepository handle;
    // The real directory that the top of a revision's tree corresponds to: the work tree, or the
    // bare repository itself.
    std::string root;
};

// Finds the repository that contains the path, which need not exist. The handle is never nullptr.
Result<FoundRepository> find_repository(const std::string& path);

// Returns a repository in memory, without contents and without the configuration of the user.
GitRepository empty_repository();

// Finds a commit by any spelling that git understands: HEAD, a branch, a tag, `main~2`, a short id.
Result<GitCommit> find_commit(git_repository* repository, const std::string& revision);

// Returns the short names of branches, also of remotes, and of tags, sorted: "main", "origin/main".
std::vector<std::string> revision_names(git_repository* repository);

std::string hex_id(const git_oid& id);

}  // namespace renderer::git
