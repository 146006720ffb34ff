// Every directory below a root in one sorted list, with what decides its role: a fleet.yaml, a
// kustomization, a chart. Leaves out what no applier and no reader of ours may look into: hidden
// names, the output directory and rendered trees. A symbolic link that leaves the tree or leads
// nowhere is an error.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/repo/source_tree.h"

namespace renderer {

// The names that kustomize knows for its file.
constexpr std::array<std::string_view, 3> kKustomizationNames = {
    "kustomization.yaml", "kustomization.yml", "Kustomization"};

bool is_kustomization_name(std::string_view name);

constexpr std::string_view kSourceIgnoreName = ".sourceignore";  // of Flux
constexpr std::string_view kLockName = "tailrender.lock.yaml";
constexpr std::string_view kOAuthGenerator = "operator-oauth";

struct WalkedDir {
    std::string path = {};                      // as typed, e.g. "examples/fleet/apps"
    std::string relative = {};                  // to the root, "" for the root
    std::vector<std::string> files = {};        // names, sorted; hidden ones are left out
    std::vector<std::string> fleet_files = {};  // fleet.yaml, fleet.yml, unless they are manifests
    std::vector<std::string> kustomizations = {};  // names that kustomize recognises
    bool has_chart = false;                        // Chart.yaml
    bool has_fleetignore = false;
    bool has_sourceignore = false;
    bool in_chart = false;    // this directory or one above it, up to the root, has a Chart.yaml
    bool is_outside = false;  // of a source that is at hand (roots/local_sources.h)
};

// The sign of an input of ours, under the operator's own class names.
bool mentions_tailscale(std::string_view text);
bool file_mentions_tailscale(const SourceTree& tree, const std::string& path);

// Output of ours, which no one takes for a source.
bool is_rendered_tree(const SourceTree& tree, const std::string& dir);

// In a file that is right in it.
bool mentions_tailscale(const SourceTree& tree, const WalkedDir& dir);

// Parents before children, bytewise. `output_dir` may be empty.
std::vector<WalkedDir> walk_tree(const SourceTree& tree, const std::string& root,
                                 const std::string& output_dir, Diagnostics& diagnostics);

}  // namespace renderer
