// The tree that Flux builds from: the repository without the files that its source excludes.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/repo/source_ignores.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

class ArtifactTree : public repo::SourceTree {
public:
    // `base` must outlive this object. `root`: the top of the repository, a normalized path.
    // `dirs`: all its directories. `tops`: the paths that are included, normalized; empty: all.
    ArtifactTree(const repo::SourceTree& base, std::string root, const DirList& dirs,
                 repo::SourceIgnores ignores, std::vector<std::string> tops);

    // False if the tree is the same as the repository.
    [[nodiscard]] bool leaves_out_any() const { return leaves_out_any_; }

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<repo::Entry>> list(const std::string& dir) const override;
    repo::EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override { return base_.real_path(path); }

private:
    [[nodiscard]] bool leaves_out(const std::string& path, repo::EntryKind kind) const;
    [[nodiscard]] bool is_beside(const std::string& path) const;

    const repo::SourceTree& base_;
    std::string root_;
    std::vector<std::string> tops_;
    repo::SourceIgnores ignores_;
    std::set<std::string> dirs_;     // with an included file in it or below
    std::set<std::string> links_;    // of the repository, which an artifact lacks
    std::set<std::string> outside_;  // of other sources, not part of the repository
    bool leaves_out_any_ = false;
};

struct Artifact {
    Artifact(ArtifactTree of, SourceMap& sources, const std::string& output_dir,
             std::shared_ptr<const LocalSources> local)
        : tree(std::move(of)), reader(tree, sources, output_dir, std::move(local)) {}
    Artifact(const Artifact&) = delete;
    Artifact& operator=(const Artifact&) = delete;

    ArtifactTree tree;
    KustomizationReader reader;
};

}  // namespace renderer::engines
