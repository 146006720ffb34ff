// Stage 5: writes documents, objects and edits as bytes. The only stage that writes, with one
// writer per mode: stream, directory, ResourceList, commit. Foreign documents stay byte for byte
// the same, except for edits.
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

namespace renderer::emit {

struct Output {
    const load::Loaded& loaded;
    const plan::Plan& plan;
    const generate::Objects& objects;

    // Returns all generated objects, including those that replace documents.
    [[nodiscard]] std::vector<const Object*> made() const;
};

// Passes the stream to `write` in pieces, or nothing if there is nothing to apply. Order: Helm's
// InstallOrder, then namespace and name. Foreign documents keep their bytes. `threads` 0 means one
// per core.
void emit_stream(const Output& output, unsigned threads,
                 const std::function<void(std::string_view)>& write);

// A file of the output tree: path relative to the cluster's directory, sorted bytewise.
struct OutputFile {
    std::string path;
    std::string content;
};

// Fails if two entries have the same path. `threads` 0 means one per core.
Result<std::vector<OutputFile>> emit_tree(const Output& output, unsigned threads);

// Returns the inventory of the tree, without files: its devices, including those of Tailscale
// Services; the release of the operator's chart, if an engine installs one, or its `deployment`,
// which may be null; and the remote parts of kustomizations.
repo::TreeInventory tree_inventory(const Output& output, const Document* deployment);

// A Secret with plaintext credentials, which must not be written into a Git work tree or a cache.
struct PlaintextSecret {
    Pos pos;
    std::string object;    // "Secret/shop/db"
    bool foreign = false;  // it is in the sources
};
// Returns the first one, among generated objects and then among documents that are passed through.
std::optional<PlaintextSecret> find_plaintext_secret(const Output& output);

// The tree of one cluster.
struct RenderedTree {
    std::string dir;  // on the disk, or in a branch relative to its top; "" = the top
    std::vector<OutputFile> files;
    repo::TreeInventory inventory = {};  // without files
    // The cluster no longer exists: its files are removed, and its inventory last.
    bool is_gone = false;
    std::vector<std::string> inner = {};  // directories in a gone tree that are trees of clusters
};

// Returns the trees that earlier runs wrote for clusters that are not in `clusters`: `root` has a
// directory per cluster; those without an inventory are ignored. If there are clusters, the tree of
// a run without clusters, which is in `root` itself, is one, too.
Result<std::vector<RenderedTree>> find_gone_trees(const std::string& root,
                                                  std::span<const std::string> clusters);

// Returns the inventory of an earlier run in the directory of a tree.
Result<repo::TreeInventory> earlier_inventory(const std::string& dir);
// Returns the files that it lists and that exist, without following links.
Result<std::vector<OutputFile>> earlier_files(const std::string& dir,
                                              const repo::TreeInventory& inventory);

struct WriteReport {
    std::vector<std::string> created, changed, removed;  // paths relative to the tree
    std::size_t unchanged = 0;
};

class PackedTree;

// Replaces each tree file by file (temporary file + rename), the inventory last. Removes stale
// files that the previous inventory lists, never others. The next run completes a killed one
// (write_trees.cpp explains why). Before it changes any tree, it refuses to overwrite files that it
// did not write; an error [write-failed] may occur later. Passes the report of each tree that was
// written, in order, to `written`.
//
// `threads`: the number of trees that are compared or written at once; 0 = one per core.
Result<Unit> write_trees(std::span<const PackedTree> trees, unsigned threads,
                         const std::function<void(const WriteReport&)>& written);

// Returns the changes that `write_trees` would make, as a unified diff; empty if there are none.
Result<std::string> compare_tree(const RenderedTree& tree);

}  // namespace renderer::emit
