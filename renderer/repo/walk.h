// Lists every directory below a root, sorted, with the files that decide its role: a fleet.yaml, a
// kustomization, a chart. Skips what is never a source: hidden names, the output directory and
// rendered trees. A symbolic link that leaves the tree is an error, and so is a broken one with the
// name of a manifest.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/repo/source_tree.h"

namespace renderer::repo {

// The file names that kustomize recognises.
constexpr std::array<std::string_view, 3> kKustomizationNames = {
    "kustomization.yaml", "kustomization.yml", "Kustomization"};

bool is_kustomization_name(std::string_view name);

// True if a name in the path begins with a dot. The path is relative to the root of the tree.
bool has_hidden_name(std::string_view path);

constexpr std::string_view kSourceIgnoreName = ".sourceignore";  // a file of Flux
constexpr std::string_view kLockName = "tailrender.lock.yaml";
constexpr std::string_view kOAuthGenerator = "operator-oauth";

struct WalkedDir {
    std::string path = {};                      // as typed, e.g. "examples/fleet/apps"
    std::string relative = {};                  // path from the root, "" for the root
    std::vector<std::string> files = {};        // names, sorted; hidden ones are left out
    std::vector<std::string> hidden_dirs = {};  // names of directories that are not entered
    std::vector<std::string> links = {};        // those of `files` that are symbolic links
    std::vector<std::string> fleet_files = {};  // fleet.yaml, fleet.yml, unless they are manifests
    std::vector<std::string> kustomizations = {};  // names that kustomize recognises
    bool has_chart = false;                        // Chart.yaml
    bool has_fleetignore = false;
    bool has_sourceignore = false;
    bool in_chart = false;    // this directory or one above it, up to the root, has a Chart.yaml
    bool is_outside = false;  // of a `--source` outside of the tree (engines/flux/local_sources.h)
};

// True if the text may hold an input for Tailscale: with the operator's own class names, every
// input has the word in it, unless SOPS encrypts its class.
bool mentions_tailscale(std::string_view text);
// The same with the words that make inputs with other settings of the operator.
bool mentions_input(std::string_view text, const std::vector<std::string>& words);
using TextTest = std::function<bool(std::string_view)>;
bool file_mentions_tailscale(const SourceTree& tree, const std::string& path);

// True if the directory has a file, at any depth. Git keeps no others.
bool has_files(const SourceTree& tree, const std::string& dir);

// True for output of tailrender, which has an inventory and is never read as a source.
bool is_rendered_tree(const SourceTree& tree, const std::string& dir);

// True if a file directly in the directory mentions Tailscale.
bool mentions_tailscale(const SourceTree& tree, const WalkedDir& dir);

// Returns parents before children, sorted bytewise. `output_dir` may be empty. Does not enter
// directories below the root of which `is_skipped` says so, by their paths from there. `hidden`:
// paths of directories to list although they have a hidden name.
std::vector<WalkedDir> walk_tree(const SourceTree& tree, const std::string& root,
                                 const std::string& output_dir, Diagnostics& diagnostics,
                                 const std::function<bool(const std::string&)>& is_skipped = {},
                                 const std::vector<std::string>& hidden = {});

}  // namespace renderer::repo
