// What a run knows, by the end of loading, of everything that gives devices: units of Flux and Argo
// CD, and releases of charts. Whether a device of an earlier run may leave is decided from it, and
// nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/repo/inventory.h"

namespace renderer {

enum class Liveness : std::uint8_t {
    Applied,
    Kept,     // rendered as well, and marked: what runs stays as it is
    Absent,   // not from this tree, or not to this cluster
    Broken,   // the engine stops at it, and removes nothing
    Unknown,  // this run cannot tell
};

struct Standing {
    std::string name;  // "Kustomization flux-system/apps", "HelmRelease/shop/web"
    Liveness liveness = Liveness::Applied;
    std::string reason;        // why it is not applied; of a release that is: what is not known
    bool is_release = false;   // of a chart
    std::string cluster = {};  // of a unit; "" where none says
    std::string text = {};     // of a file that nothing applies
};

struct Standings {
    std::vector<Standing> all;
    std::set<std::string> clusters;  // of roots of Flux that are in the tree
    std::set<std::string> others;    // the same, of clusters that this run does not render
    std::map<std::string, std::string> objects;  // "Service/shop/web": why Flux leaves it as it is
    std::set<std::string> unreached;             // files with inputs that nothing applies
    std::string unfetched;                       // a remote part of a kustomization; "" = none
    std::vector<std::string> ignored;            // directories that the user wants no device of
};

// Between the names of what applies a parent, from the root on: "cluster clusters/home",
// "Kustomization flux-system/flux-system", "Kustomization flux-system/apps".
inline constexpr std::string_view kAbove = " > ";
inline constexpr std::string_view kClusterPrefix = "cluster ";
inline constexpr std::string_view kSourcesPlace = "_sources/";  // of what --source names elsewhere
inline constexpr std::string_view kIncluded = "--include ";

// Whether a text, which may not be YAML, says a path above the file: its first folder, or one that
// is relative to nothing known.
bool says_path_of(std::string_view text, std::string_view file);

// The engine stops at something that the unit applies. "": of no unit.
void note_refused(std::string_view unit, std::string reason, Standings& standings);

// Why no change of the sources explains that the device leaves; none: one does. Paths of the
// standings are relative to the root of the sources.
std::optional<std::string> why_unexplained(const Standings& standings,
                                           const InventoryDevice& device);

}  // namespace renderer
