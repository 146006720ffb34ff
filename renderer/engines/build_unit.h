// One build that a cluster applies, as an object of Flux or Argo CD says it: a directory, what
// becomes of its objects, and whether it is applied at all. Sources: fluxcd/kustomize-controller
// api/v1/kustomization_types.go, argo-cd docs/user-guide/application-specification.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"

namespace renderer {

enum class UnitState : std::uint8_t {
    Live,
    Kept,        // the engine is told to leave it as it is: suspended, reconcile disabled
    External,    // of another repository
    Missing,     // there is no such directory
    Refused,     // the engine does not take what it is told
    Unresolved,  // what it applies cannot be known from the tree
    OtherCluster,
    LeftOver,  // a root whose inputs another root of the cluster applies, too
};

// How the manifests of a directory are found where no kustomization is in it.
enum class UnitFiles : std::uint8_t {
    Generated,  // all below, and each kustomization below is built (Flux)
    Directory,  // those in it (Argo CD)
    Recursive,  // and below it
};

// What is not known of something that makes units.
enum class UnitRest : std::uint8_t { None, Set, Chart };

// An Application of Argo CD with a source that is a chart.
struct ChartUnit {
    Value application;
    Value source;
};

struct Artifact;

struct BuildUnit {
    std::string name;  // "Kustomization flux-system/apps"
    std::string file;  // that says so; "" when no file does
    std::string dir;   // normal path, as the tree knows it
    UnitState state = UnitState::Live;
    std::string reason;  // of another state; of a live one what there is to say of it, or ""
    UnitRest rest = UnitRest::None;
    Pos pos;                  // of what is not resolved, or wrong
    std::string source;       // of an external unit: what --source calls it; "" = nothing
    bool may_be_own = false;  // its source may be made of this repository
    Pos naming;               // of an external unit: what of its own names Tailscale
    std::string unbuilt;  // what kustomize says where it fails; what the unit applies is read as it
                          // lies there
    std::string text;     // of a file that nothing applies
    std::string cluster;
    std::size_t parent = SIZE_MAX;  // index of the unit that applies the object

    std::vector<std::string> beyond;     // of a root: directories with inputs that only it reaches,
                                         // where a FluxInstance says another root
    std::shared_ptr<Artifact> artifact;  // what it is built from; none: the whole tree
    UnitFiles files = UnitFiles::Generated;
    bool is_flux = false;
    bool is_file = false;                // what a file would say that its engine refuses
    bool loads_any = false;              // its kustomizations may name any file of the repository
    bool ignores_kustomization = false;  // it is a manifest among others
    std::string include, exclude;        // patterns of Argo CD, "" = none

    std::string target_namespace;    // of all objects that have one (Flux targetNamespace)
    std::string fallback_namespace;  // of those that say none (Argo CD destination.namespace)
    std::shared_ptr<const UnitVariables> variables;  // none: `$` stays as it is
    std::shared_ptr<const ChartUnit> chart;          // none: what is applied is no chart
    bool is_chart_root = false;  // a chart that no one applies, but that makes objects of engines
    std::shared_ptr<const Value> changes;  // merged into its kustomization; none: none that matter

    std::vector<std::string> builds;     // directories whose kustomizations are built
    std::vector<std::string> manifests;  // files that are applied as they are
    std::set<std::string> claims;        // both, with all that the builds name
};

}  // namespace renderer
