// Keeps a run in the directories that it was given: symbolic links of a tree must not lead it to
// files elsewhere on the machine.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace renderer {

// Absolute, symbolic links of the longest part that exists resolved; the path itself if they cannot
// be.
std::string canonical_path(const std::string& path);

class LinkGuard {
public:
    // Directories or files as typed. Without any everything is allowed.
    explicit LinkGuard(const std::vector<std::string>& roots);

    // False: a link leads the path out of the roots, and out of the Git work trees they are in.
    // Bases above a root may be read. `is_no_link`: the last part is known to be none. Thread-safe.
    [[nodiscard]] bool allows(const std::string& path, bool is_no_link = false) const;

    // canonical_path, with each directory resolved once. Thread-safe.
    [[nodiscard]] std::string real_path(const std::string& path, bool is_no_link = false) const;

private:
    struct Root {
        std::string typed, real, top;
    };

    std::vector<Root> roots_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::string> real_dirs_;
};

}  // namespace renderer
