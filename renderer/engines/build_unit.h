// A directory that a Kustomization of Flux or an Application of Argo CD applies: how it is built,
// how its objects are changed, and whether it is applied at all. Sources:
// fluxcd/kustomize-controller api/v1/kustomization_types.go, argo-cd
// docs/user-guide/application-specification.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"
#include "renderer/engines/applied_unit.h"
#include "renderer/engines/engine_fields.h"

namespace renderer::engines {

enum class UnitState : std::uint8_t {
    Live,
    Kept,        // suspended, or its reconciliation is disabled; a set that deletes nothing
    External,    // its source is another repository
    Missing,     // its directory does not exist
    Refused,     // the engine rejects the object
    Unresolved,  // the tree does not say what it applies
    OtherCluster,
    LeftOver,  // a root whose inputs another root of the cluster also applies
};

// Which manifests are applied if the directory has no kustomization.
enum class UnitFiles : std::uint8_t {
    Generated,  // all below the directory; each kustomization below it is built (Flux)
    Directory,  // those in the directory (Argo CD)
    Recursive,  // those in and below the directory (Argo CD)
};

// The kind of object whose units are not known: an ApplicationSet or ResourceSet, or a chart.
enum class UnitRest : std::uint8_t { None, Set, Chart };

// An Application of Argo CD, or a HelmRelease of Flux, whose source is a chart.
struct ChartUnit {
    Value application;
    Value source;
};

struct Artifact;

// An entry of `spec.dependsOn` for which Flux never applies the unit.
struct UnmetDependency {
    Pos pos;
    std::string found;
    std::string reason;  // "it waits for itself"
    std::string hint;
    bool is_unknown = false;  // nothing in the tree creates what it names
};

struct BuildUnit {
    std::string name;  // "Kustomization flux-system/apps"
    std::string set;   // of an Application that one makes: "ApplicationSet apps"
    std::string file;  // that has the object; "" if no file has
    std::string dir;   // normal path of the directory in the tree
    UnitState state = UnitState::Live;
    std::string reason;  // why it is not live; a live unit may have a remark
    UnitRest rest = UnitRest::None;
    Pos pos;                  // of the field that is wrong or cannot be resolved
    std::string source;       // of an external unit: its key for --source; "" = it has none
    bool may_be_own = false;  // an external source that may be made of this repository
    Pos naming;               // of an external or refused unit: where its object mentions Tailscale
    std::string unbuilt;      // the error of kustomize; the files of the unit are read without it
    std::string text;         // the content of a file that nothing applies
    std::string cluster;
    std::string revision;    // the tag or commit that Argo CD or an instance applies; "" = a branch
    std::string git_source;  // of Flux: "flux-system/den", the GitRepository of this repository
    std::size_t parent = SIZE_MAX;  // index of the unit that applies the object

    std::vector<std::string> beyond;     // of a root, if a FluxInstance names another root:
                                         // directories with inputs that only this one reaches
    std::shared_ptr<Artifact> artifact;  // what it is built from; null: the whole tree
    UnitFiles files = UnitFiles::Generated;
    bool is_flux = false;
    bool is_guessed = false;             // the path of a FluxInstance has variables
    bool is_file = false;                // stands for a file that the engine of `parent` rejects
    bool loads_any = false;              // its kustomizations may load any file of the repository
    bool ignores_kustomization = false;  // a kustomization file is applied like other manifests
    std::string include, exclude;        // patterns of Argo CD; "" = none

    std::string target_namespace;    // replaces that of each object (Flux targetNamespace)
    std::string fallback_namespace;  // of objects without one (Argo CD destination.namespace)
    std::shared_ptr<const UnitVariables> variables;  // null: `$` stays as it is
    std::shared_ptr<const ChartUnit> chart;          // null: it does not apply a chart
    bool is_patched = false;     // its Kustomization has patches or components, relevant or not
    bool is_chart_root = false;  // a chart with objects of engines that no unit applies
    std::shared_ptr<const Value> changes;  // merged into its kustomization; null: no relevant ones

    // Its own object or its source, by name, if the API server rejects that. What is applied is
    // known anyway.
    std::vector<std::pair<std::string, IncompleteObject>> rejected;
    // Units in spec.dependsOn of Flux, as in `name`.
    std::vector<std::pair<std::string, Pos>> waits_for;
    std::vector<UnmetDependency> unmet;  // of those: what keeps Flux from ever applying it

    std::vector<std::string> builds;     // directories whose kustomizations are built
    std::vector<std::string> manifests;  // files that are applied without a build
    std::set<std::string> claims;        // both, and all files that the builds name
};

}  // namespace renderer::engines
