// Directories at hand in place of sources that a tree only names: `--source` and the key `sources`
// of `.tailrender.yaml`. What is outside of the tree is read as if it were below `_sources` at its
// top.
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

namespace renderer {

struct Cluster;
struct LoadOptions;

class LocalSources {
public:
    // `tree` outlives it. Of the options path and sources are asked. What is no directory or file
    // is an error.
    LocalSources(const SourceTree& tree, const LoadOptions& options, const Cluster& cluster,
                 Diagnostics& diagnostics);

    // The tree with what is outside of it.
    [[nodiscard]] const SourceTree& tree() const { return mounted_; }

    // The top of what an object of Flux gives. `url`: of that object, "" if it is not known.
    [[nodiscard]] std::optional<std::string> find_object(std::string_view kind, std::string_view ns,
                                                         std::string_view name,
                                                         std::string_view url) const;

    // Where in the tree an address leads, of a repository or of something in it. It need not be
    // there.
    [[nodiscard]] std::optional<std::string> find_address(std::string_view text) const;

    // In a copy of what has an address.
    [[nodiscard]] bool holds(const std::string& path) const;

    // Of the tree with what is outside of it, and there.
    [[nodiscard]] bool is_outside(const std::string& path) const {
        return mounted_.is_mounted(path);
    }

    // What is outside of the tree, as walk_tree gives it.
    [[nodiscard]] const std::vector<WalkedDir>& outside() const { return outside_; }

    // Sources that nothing has asked for.
    void warn_unused(Diagnostics& diagnostics) const;

private:
    struct Source {
        std::string text = {};  // of the key
        SourceKey key = {};
        std::string path = {};  // in the tree
        Pos pos = {};           // in `.tailrender.yaml`
    };

    void add(const std::string& key, const std::string& dir, Pos pos, Diagnostics& diagnostics);
    bool mount(const Source& source, const std::string& dir, Diagnostics& diagnostics);
    [[nodiscard]] const Source* find_below(const SourceAddress& address) const;

    const SourceTree& base_;
    std::string root_;
    MountedTree mounted_;
    std::vector<Source> sources_;  // the first that fits counts
    std::vector<WalkedDir> outside_;
    mutable std::set<const Source*> used_;
};

}  // namespace renderer
