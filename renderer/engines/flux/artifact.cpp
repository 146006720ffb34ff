#include "renderer/engines/flux/artifact.h"

#include <algorithm>

#include "renderer/repo/paths.h"

namespace renderer::engines {

ArtifactTree::ArtifactTree(const repo::SourceTree& base, std::string root, const DirList& dirs,
                           repo::SourceIgnores ignores, std::vector<std::string> tops)
    : base_(base), root_(std::move(root)), tops_(std::move(tops)), ignores_(std::move(ignores)) {
    for (const repo::WalkedDir* dir : dirs) {
        if (dir->is_outside) {
            outside_.insert(dir->path);
        }
        for (const std::string& name : dir->is_outside ? std::vector<std::string>() : dir->links) {
            links_.insert(repo::join_path(dir->path, name));
        }
        for (const std::string& name : dir->files) {
            if (links_.contains(repo::join_path(dir->path, name)) ||
                is_beside(repo::join_path(dir->path, name)) ||
                ignores_.leaves_out(repo::join_path(dir->relative, name), false)) {
                leaves_out_any_ = true;
                continue;
            }
            std::string above = dir->path;
            while (dirs_.insert(above).second && above != root_) {
                above = repo::parent_path(above);
            }
        }
    }
}

// True for paths of the repository that are not included in the artifact.
bool ArtifactTree::is_beside(const std::string& path) const {
    const bool is_taken = tops_.empty() || std::ranges::any_of(tops_, [&](const std::string& top) {
                              return repo::is_within(path, top);
                          });
    return !is_taken && !outside_.contains(path) && !outside_.contains(repo::parent_path(path));
}

bool ArtifactTree::leaves_out(const std::string& path, repo::EntryKind kind) const {
    const bool is_directory = kind == repo::EntryKind::Directory;
    return repo::is_within(path, root_) && !(is_directory && dirs_.contains(path)) &&
           (is_beside(path) || links_.contains(path) ||
            ignores_.leaves_out(repo::relative_path(path, root_), is_directory));
}

Result<std::string> ArtifactTree::read(const std::string& path) const {
    if (leaves_out(path, repo::EntryKind::File)) {
        return Error{{.rule = "unreadable",
                      .where = path,
                      .message = "cannot read: the source of Flux leaves out this file"}};
    }
    return base_.read(path);
}

Result<std::vector<repo::Entry>> ArtifactTree::list(const std::string& dir) const {
    Result<std::vector<repo::Entry>> entries = base_.list(dir);
    if (entries) {
        std::erase_if(*entries, [&](const repo::Entry& entry) {
            return leaves_out(repo::join_path(dir, entry.name), entry.kind);
        });
    }
    return entries;
}

repo::EntryKind ArtifactTree::kind(const std::string& path) const {
    const repo::EntryKind kind = base_.kind(path);
    return leaves_out(path, kind) ? repo::EntryKind::Missing : kind;
}

}  // namespace renderer::engines
