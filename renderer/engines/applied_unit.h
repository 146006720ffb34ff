// The unit of an engine that a file or an object belongs to: a Kustomization of Flux, an
// Application of Argo CD, or what one of them makes of a set or a chart.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"

namespace renderer::engines {

// What prevents Flux from applying a unit with these variables.
struct VariableFault {
    Pos pos;  // of the entry in `postBuild`; unknown where a patch wrote it
    std::string name;
    bool is_invalid = false;  // no name of a variable; else a ConfigMap that is not in the tree
    friend bool operator==(const VariableFault&, const VariableFault&) = default;
};

// The values for `${NAME}` in the objects of a unit. Source: fluxcd/pkg envsubst.
struct UnitVariables {
    std::map<std::string, std::string, std::less<>> values;
    // True if other variables stay as they are: this tree has no postBuild, but --substitute says
    // that there is one in the cluster.
    bool named_only = false;
    bool is_whole = false;                           // the cluster has no other variables
    std::set<std::string, std::less<>> secret = {};  // they have values, in Secrets of the tree
    bool may_have_more = false;  // postBuild names an object that is not in the tree
    std::map<std::string, std::string> files = {};  // of variables: that has their ConfigMap
    // Of variables: why Flux may not have applied the ConfigMap with their values.
    std::map<std::string, std::string, std::less<>> unapplied = {};
    std::vector<VariableFault> faults = {};
    friend bool operator==(const UnitVariables&, const UnitVariables&) = default;
};

// A use of a variable in an object.
struct UsedVariable {
    Pos pos;
    std::string name;
};

struct AppliedUnit {
    std::string name = {};     // "Kustomization flux-system/apps"; "" = no engine applies it
    std::string path = {};     // the names of the units above it and its own, joined by kAbove
    std::string cluster = {};  // "" if not known
    std::string kept = {};     // why the engine leaves it as it is in the cluster; "" = it does not
    std::shared_ptr<const UnitVariables> variables = {};  // null: `$` stays as it is
    bool is_flux = false;      // an object may tell Flux to leave it as it is
    bool is_argo = false;      // Argo CD applies it
    bool is_patched = false;   // its Kustomization has patches or components
    bool is_included = false;  // by --include; no engine applies it
};

// Returns the unit of files that no engine applies.
std::shared_ptr<const AppliedUnit> no_unit();

// Returns the unit of the objects that an object of `unit`, a set or a release, makes. `kept`: why
// the engine leaves them as they are.
AppliedUnit unit_of_object(const AppliedUnit& unit, std::string_view object, std::string kept);

}  // namespace renderer::engines
