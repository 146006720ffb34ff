// Keeps a run inside of the directories that it was given: neither symbolic links nor paths in a
// tree may make it read files elsewhere on the machine.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "renderer/repo/source_tree.h"

namespace renderer::repo {

// Returns the absolute path with the symbolic links of its longest existing part resolved, or the
// path itself if that fails.
std::string canonical_path(const std::string& path);

// Returns the top of the Git work tree or bare repository that a canonical path is in, or the path
// itself if it is in none.
std::string work_tree_top(const std::string& real);

// True for a path below `root`, or in the Git repository around it. Both must be normal.
bool is_in_repository(const SourceTree& tree, const std::string& root, const std::string& path);

class LinkGuard {
public:
    // `roots`: directories or files as the user typed them; without any, every path is allowed.
    // `top`: the top of the work tree if it is known, else each root's own Git work tree counts.
    explicit LinkGuard(const std::vector<std::string>& roots, const std::string& top = {});

    enum class Verdict { Allowed, LinkLeaves, PathLeaves };
    // Decides whether a path may be read. Bases above a root may be: all those in the work tree, or
    // without a work tree as far up as overlays usually have them. `is_no_link`: the caller has
    // found that the last part of the path is not a symbolic link. Thread-safe.
    [[nodiscard]] Verdict judge(const std::string& path, bool is_no_link = false) const;

    // Returns the canonical_path, and resolves each directory only once. Thread-safe.
    [[nodiscard]] std::string real_path(const std::string& path, bool is_no_link = false) const;

private:
    struct Root {
        std::string typed, real, top;
        std::string limit;  // bases must be in it, for paths without links
    };

    std::vector<Root> roots_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::string> real_dirs_;
};

}  // namespace renderer::repo
