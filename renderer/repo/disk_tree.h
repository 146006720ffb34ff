// The source tree on disk. A directory keeps the entries that it had when it was first listed, so
// several clusters of a repository see the same, and list it once. Pipes and devices in a tree are
// not files: they are never opened, so that no read blocks. Do not read the output directory with
// it: emit writes that.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/repo/link_guard.h"
#include "renderer/repo/source_tree.h"

namespace renderer::repo {

class DiskTree : public SourceTree {
public:
    // `named`: files that the user typed; they may be pipes, and links to any path. Other files
    // must be inside of the `roots` (link_guard.h).
    // `top`: the top of the work tree, if it is known.
    explicit DiskTree(const std::vector<std::string>& named = {},
                      const std::vector<std::string>& roots = {}, const std::string& top = {});

    Result<std::string> read(const std::string& path) const override;
    Result<std::vector<Entry>> list(const std::string& dir) const override;
    EntryKind kind(const std::string& path) const override;
    std::string real_path(const std::string& path) const override;

private:
    [[nodiscard]] bool is_named(const std::string& path) const;
    // Returns the entry of a path whose directory was listed; its kind is Missing if there is none.
    // Returns nothing if the directory was not listed.
    [[nodiscard]] std::optional<Entry> listed(const std::string& path) const;
    // True for a file or directory that was listed, and is no link.
    [[nodiscard]] bool is_plain(const std::string& path) const;
    [[nodiscard]] Result<Unit> check_inside(const std::string& path) const;

    std::set<std::string, std::less<>> named_;
    LinkGuard links_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::vector<Entry>> listed_;  // sorted entries by directory
};

}  // namespace renderer::repo
