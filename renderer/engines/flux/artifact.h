// The tree that Flux builds from: a repository without what its source leaves out.
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

namespace renderer {

class ArtifactTree : public SourceTree {
public:
    // `base` outlives it. `root`: the top of the repository, a normal path; `dirs`: all of it.
    // `tops`: what is taken of it, normal paths; none: all.
    ArtifactTree(const SourceTree& base, std::string root, const DirList& dirs,
                 SourceIgnores ignores, std::vector<std::string> tops);

    // False: it is the repository as it is.
    [[nodiscard]] bool leaves_out_any() const { return leaves_out_any_; }

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override { return base_.real_path(path); }

private:
    [[nodiscard]] bool leaves_out(const std::string& path, EntryKind kind) const;
    [[nodiscard]] bool is_beside(const std::string& path) const;

    const SourceTree& base_;
    std::string root_;
    std::vector<std::string> tops_;
    SourceIgnores ignores_;
    std::set<std::string> dirs_;     // those with a file, itself or below
    std::set<std::string> outside_;  // of other sources, which are no part of the repository
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

}  // namespace renderer
