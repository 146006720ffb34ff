// Keeps a run in the directories that it was given: neither symbolic links nor paths of a tree may
// lead it to files elsewhere on the machine.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace renderer {

// Absolute, symbolic links of the longest part that exists resolved; the path itself if they cannot
// be.
std::string canonical_path(const std::string& path);

// Of a canonical path: the Git work tree that it is in, else itself.
std::string work_tree_top(const std::string& real);

class LinkGuard {
public:
    // Directories or files as typed. Without any everything is allowed. `top`: of the work tree,
    // where it is known; else the Git work tree that a root is in.
    explicit LinkGuard(const std::vector<std::string>& roots, const std::string& top = {});

    enum class Verdict { Allowed, LinkLeaves, PathLeaves };
    // Bases above a root may be read: in the work tree, and without one as far as overlays need it.
    // `is_no_link`: the last part is known to be none. Thread-safe.
    [[nodiscard]] Verdict judge(const std::string& path, bool is_no_link = false) const;

    // canonical_path, with each directory resolved once. Thread-safe.
    [[nodiscard]] std::string real_path(const std::string& path, bool is_no_link = false) const;

private:
    struct Root {
        std::string typed, real, top;
        std::string limit;  // for paths without links: where bases may be
    };

    std::vector<Root> roots_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::string> real_dirs_;
};

}  // namespace renderer
