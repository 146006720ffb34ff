// What is between a directory and the tree that it should hold: computed by reading only, used
// by the writer to do it and by `check` to show it, so the two cannot disagree. Ours is what the
// directory's inventory lists, nothing else; an inventory is input (it sits in a repository) and
// may not point outside of its directory.
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

namespace renderer {

// Where a tree stands or is to stand: a directory on the disk, or one of a branch. Links are not
// followed.
class Place {
public:
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    virtual ~Place() = default;
    [[nodiscard]] virtual FileKind kind(const std::string& path) const = 0;
    // No value: there is no such file.
    [[nodiscard]] virtual Result<std::optional<std::string>> read(
        const std::string& path) const = 0;
    // Names, sorted; none in a directory that is missing.
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
    std::vector<std::string> stale;    // listed before, not wanted now; sorted, maybe gone already
    std::vector<std::string> foreign;  // wanted paths where something stands that is not ours
    std::size_t unchanged = 0;
    TreeInventory listed;       // previous inventory
    TreeInventory wanted;       // the next one
    std::string old_inventory;  // their texts
    std::string new_inventory;

    [[nodiscard]] bool empty() const {
        return created.empty() && changed.empty() && stale.empty() && foreign.empty() &&
               old_inventory == new_inventory;
    }
};

// The files of the tree must be sorted by path and outlive the result. `dir`: the tree's, as the
// place spells it.
Result<Changes> find_changes(const RenderedTree& tree);
Result<Changes> find_changes(const Place& place, const std::string& dir, const RenderedTree& tree);

// The directories of `root` that hold a rendered tree and are named after none of the clusters.
Result<std::vector<std::string>> gone_clusters(const Place& place, const std::string& root,
                                               std::span<const std::string> clusters);

Result<TreeInventory> earlier_inventory(const Place& place, const std::string& dir);
Result<std::vector<OutputFile>> earlier_files(const Place& place, const std::string& dir,
                                              const TreeInventory& inventory);

// Of changes with foreign paths.
Error not_ours(const std::string& dir, const std::vector<std::string>& foreign);

}  // namespace renderer
