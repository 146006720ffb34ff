// The difference between a directory and the tree that it should contain. It is computed by reading
// only; the writer applies it and `check` shows it, so the two cannot disagree. Only files in the
// directory's inventory are ours. The inventory is untrusted input (it is in a repository) and may
// not point outside of its directory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/tree/files.h"
#include "renderer/repo/inventory.h"

namespace renderer::emit {

// The storage of a tree: directories on the disk, or those of a branch. Does not follow links.
class Place {
public:
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    virtual ~Place() = default;
    [[nodiscard]] virtual FileKind kind(const std::string& path) const = 0;
    // Returns nothing if there is no such file.
    [[nodiscard]] virtual Result<std::optional<std::string>> read(
        const std::string& path) const = 0;
    // Returns sorted names; none if the directory is missing.
    [[nodiscard]] virtual Result<std::vector<std::string>> directories(
        const std::string& path) const = 0;
};

struct Replacement {
    const OutputFile* file = nullptr;
    std::string old_content;
};

struct Changes {
    std::vector<const OutputFile*> created;
    std::vector<Replacement> changed;
    std::vector<std::string> stale;    // listed before, no longer wanted; sorted, may not exist
    std::vector<std::string> foreign;  // wanted paths at which something exists that is not ours
    std::size_t unchanged = 0;
    repo::TreeInventory listed;  // previous inventory
    repo::TreeInventory wanted;  // the next one
    std::string old_inventory;   // texts of the two inventories
    std::string new_inventory;

    [[nodiscard]] bool empty() const {
        return created.empty() && changed.empty() && stale.empty() && foreign.empty() &&
               old_inventory == new_inventory;
    }
};

// The files of the tree must be sorted by path and outlive the result. `dir` is the directory of
// the tree, as `place` spells it.
Result<Changes> find_changes(const RenderedTree& tree);
Result<Changes> find_changes(const Place& place, const std::string& dir, const RenderedTree& tree);

// Returns the directories in `root` that contain a rendered tree and have no cluster's name, and ""
// if there are clusters and `root` itself contains a rendered tree.
Result<std::vector<std::string>> gone_clusters(const Place& place, const std::string& root,
                                               std::span<const std::string> clusters);

// Returns one of them as a tree of which no file is wanted. The trees of `clusters` stay.
RenderedTree gone_tree(const std::string& root, const std::string& name,
                       std::span<const std::string> clusters);

Result<repo::TreeInventory> earlier_inventory(const Place& place, const std::string& dir);
Result<std::vector<OutputFile>> earlier_files(const Place& place, const std::string& dir,
                                              const repo::TreeInventory& inventory);

// The error for changes with foreign paths.
Error not_ours(const std::string& dir, const std::vector<std::string>& foreign);

}  // namespace renderer::emit
