// Local directories for sources that a tree only names: `--source` and the key `sources` of
// `.tailrender.yaml`. Directories outside of the tree appear below `_sources` at its top.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/engines/flux/source_key.h"
#include "renderer/repo/mounted_tree.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::repo {
struct LoadOptions;
}

namespace renderer::engines {

struct Cluster;

class LocalSources {
public:
    // `tree` must outlive this object. Uses the options path and sources. A source that is not a
    // directory or file is an error.
    LocalSources(const repo::SourceTree& tree, const repo::LoadOptions& options,
                 const Cluster& cluster, Diagnostics& diagnostics);

    // The tree, including the mounted directories.
    [[nodiscard]] const repo::SourceTree& tree() const { return mounted_; }

    // Returns the top directory of a Flux source. `url`: of that object, "" if it is not known.
    [[nodiscard]] std::optional<std::string> find_object(std::string_view kind, std::string_view ns,
                                                         std::string_view name,
                                                         std::string_view url) const;

    // Returns the path in tree() for the address of a repository or of something in it. The path
    // need not exist.
    [[nodiscard]] std::optional<std::string> find_address(std::string_view text) const;

    // True if the path is in the local copy of a source with an address.
    [[nodiscard]] bool holds(const std::string& path) const;

    // True if a path of tree() is in a mounted directory.
    [[nodiscard]] bool is_outside(const std::string& path) const {
        return mounted_.is_mounted(path);
    }

    // The mounted directories, as walk_tree returns them.
    [[nodiscard]] const std::vector<repo::WalkedDir>& outside() const { return outside_; }

    // Warns of sources that were never looked up.
    void warn_unused(Diagnostics& diagnostics) const;

private:
    struct Source {
        std::string text = {};  // the key as spelled
        SourceKey key = {};
        std::string path = {};  // in the tree
        Pos pos = {};           // in `.tailrender.yaml`; unknown for `--source`
    };

    void add(const std::string& key, const std::string& dir, Pos pos, Diagnostics& diagnostics);
    bool mount(const Source& source, const std::string& dir, Diagnostics& diagnostics);
    [[nodiscard]] const Source* find_below(const SourceAddress& address) const;

    const repo::SourceTree& base_;
    std::string root_;
    repo::MountedTree mounted_;
    std::vector<Source> sources_;  // in order of precedence
    std::vector<repo::WalkedDir> outside_;
    mutable std::set<const Source*> used_;
};

}  // namespace renderer::engines
