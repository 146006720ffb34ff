// Stage 5: documents, objects and edits -> bytes. The only stage that writes. A writer per mode:
// stream, directory. Documents that are not ours leave byte for byte as they came, but for the
// edits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/generate/model.h"
#include "renderer/load/loaded.h"
#include "renderer/plan/model.h"
#include "renderer/repo/inventory.h"

namespace renderer {

struct Output {
    const Loaded& loaded;
    const Plan& plan;
    const Objects& objects;

    // All objects that we make, also in the place of documents.
    [[nodiscard]] std::vector<const Object*> made() const;
};

// Hands out the stream piece by piece, nothing when there is nothing to apply. Order: Helm's
// InstallOrder, then (namespace, name); foreign documents keep their bytes. `threads` 0 means one
// per core.
void emit_stream(const Output& output, unsigned threads,
                 const std::function<void(std::string_view)>& write);

// A file of the output tree: path relative to the cluster's directory, sorted bytewise.
struct OutputFile {
    std::string path;
    std::string content;
};

// Fails when two things want the same path.
Result<std::vector<OutputFile>> emit_tree(const Output& output);

// What the tree's inventory says of devices, those of the tailnet's services among them.
std::vector<InventoryDevice> tree_devices(const Output& output);

// A Secret with credentials in the clear, which must not be written into a Git work tree or a
// cache.
struct PlaintextSecret {
    Pos pos;
    std::string object;    // "Secret/shop/db"
    bool foreign = false;  // it is among the sources as it is
};
// The first one, among what we make and then among what we pass on.
std::optional<PlaintextSecret> find_plaintext_secret(const Output& output);

// The tree of one cluster.
struct RenderedTree {
    std::string dir;  // on the disk, or in a branch below its top, "" = the top
    std::vector<OutputFile> files;
    std::vector<InventoryDevice> devices = {};
    bool is_gone = false;  // of a cluster that is no more: its files go, and its inventory last
};

// What earlier runs wrote for clusters that are not among `clusters`. `root` has a directory per
// cluster; what holds no inventory is not looked at.
Result<std::vector<RenderedTree>> find_gone_trees(const std::string& root,
                                                  std::span<const std::string> clusters);

// What an earlier run noted where a tree is to be written.
Result<TreeInventory> earlier_inventory(const std::string& dir);
// The files that it lists and that are there, without following links.
Result<std::vector<OutputFile>> earlier_files(const std::string& dir,
                                              const TreeInventory& inventory);

struct WriteReport {
    std::vector<std::string> created, changed, removed;  // paths relative to the tree
    std::size_t unchanged = 0;
};

// Replaces each tree file by file (temporary file + rename), the inventory last; removes stale
// files that the previous inventory lists, never others. A killed run is completed by the next
// (write_trees.cpp says why). Refuses, before it touches any of them, to overwrite what it did not
// write; an error [write-failed] may come later. One report per tree.
Result<std::vector<WriteReport>> write_trees(std::span<const RenderedTree> trees);

// What `write_trees` would do, as a unified diff; empty when nothing.
Result<std::string> compare_tree(const RenderedTree& tree);

}  // namespace renderer
