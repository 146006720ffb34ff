// What a run has determined, after loading, about everything that creates devices: units of Flux
// and Argo CD, and releases of charts. Only this decides whether a device of an earlier run may be
// removed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/engines/applied_unit.h"
#include "renderer/repo/inventory.h"

namespace renderer::engines {

enum class Liveness : std::uint8_t {
    Applied,
    Kept,     // also rendered, and marked: the engine leaves it as it is
    Absent,   // not from this tree, or not in this cluster
    Broken,   // the engine fails at it, and removes nothing
    Unknown,  // this run cannot tell
};

struct Standing {
    std::string name;  // "Kustomization flux-system/apps", "HelmRelease/shop/web"
    Liveness liveness = Liveness::Applied;
    std::string reason;        // why it is not applied; if a release is: what is not known of it
    bool is_release = false;   // of a chart
    bool is_external = false;  // of a unit whose files, not a chart, are in another repository
    std::string unit = {};     // of a release that may expose more than is known: its unit's path
    std::string cluster = {};  // of a unit; "" if not known
    std::string text = {};     // content of a file that nothing applies
    bool is_hidden = false;    // of `text`: a name in its path begins with a dot
    bool may_expose =
        true;  // of a release that is not known: false if it does not mention Tailscale
    std::string values = {};  // of such a release, as YAML
};

struct Standings {
    std::vector<Standing> all;
    std::set<std::string> clusters;  // with roots of Flux in the tree
    std::set<std::string> others;    // those that this run does not render
    // "Service/shop/web": why its devices stay, "is kept: …".
    std::map<std::string, std::string> objects;
    std::set<std::string> unreached;  // files with inputs that nothing applies
    // Remote parts of kustomizations that are not available: path of the unit, and address.
    std::set<std::pair<std::string, std::string>> remotes;
    // Paths of units, and the tags or commits that they apply; "" = not known. All others that are
    // applied follow a branch or a range of versions. For releases of charts in the tree that Flux
    // packs by version: "chart 1.0.0, values 0123456789abcdef".
    std::set<std::pair<std::string, std::string>> revisions;
    std::string unfetched;             // a remote part of a kustomization; "" = none
    std::vector<std::string> ignored;  // directories that the user ignores
    // Files and directories whose manifests are not readable here, and why: "git-crypt encrypts
    // it".
    std::map<std::string, std::string> unreadable;
};

// Separates the names of what applies a parent, from the root on: "cluster clusters/home",
// "Kustomization flux-system/flux-system", "Kustomization flux-system/apps".
inline constexpr std::string_view kAbove = " > ";
inline constexpr std::string_view kClusterPrefix = "cluster ";
// Begins the source of a device that a chart makes: "helm template Application/web".
inline constexpr std::string_view kHelmTemplate = "helm template ";
inline constexpr std::string_view kSourcesPlace = "_sources/";  // where --source is mounted
inline constexpr std::string_view kIncluded = "--include ";
inline constexpr std::string_view kChartRevision = "chart ";

// True if a text, which may not be YAML, has a path of a directory above the file: its top folder,
// or a "path" of ".", "./" or "..".
bool says_path_of(std::string_view text, std::string_view file);

// Returns the cluster at the head of a unit's path, "" if it has none.
std::string_view cluster_of_path(std::string_view path);

// Records that the engine fails at something that the unit applies. Nothing is recorded if no
// engine applies it.
void note_refused(const AppliedUnit& unit, std::string reason, Standings& standings);

// A unit that applies a tag, a commit or a packed chart, not this tree.
struct FixedUnit {
    std::string name;
    std::string revision;  // of the earlier run
    bool is_known = true;  // false: what it applies now is not known
};

// Returns the unit that may still apply the parent of the device, since it applies the same
// revision as in the earlier run. `earlier`: the revisions of that run.
std::optional<FixedUnit> fixed_unit_of(const Standings& standings,
                                       const std::vector<repo::InventoryDevice>& earlier,
                                       const repo::InventoryDevice& device);

// Returns why no change of the sources explains the removal of the device, nothing if one does.
// Paths of the standings are relative to the root of the sources.
std::optional<std::string> why_unexplained(const Standings& standings,
                                           const repo::InventoryDevice& device);

}  // namespace renderer::engines
