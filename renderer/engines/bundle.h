// What appliers take as a unit, and what is beside its manifests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer {

// A path as a file of Fleet spells it.
struct NamedPath {
    Pos pos;
    std::string path;
};

// Of `sources` in .tailrender.yaml.
struct NamedSource {
    std::string key;
    NamedPath path;
};

// A directory that an applier takes as a unit. A tree without fleet.yaml is one bundle.
struct Bundle {
    std::string dir;   // relative to the root that was read, "" = the root itself
    std::string name;  // fleet.yaml `name`, else made from the directory; "" for a plain tree
    Pos pos;           // of its fleet.yaml, unknown for a plain tree
    std::string default_namespace;  // fleet.yaml `defaultNamespace`, else --namespace; may be empty
    std::string forced_namespace;   // fleet.yaml `namespace`
    Pos forced_namespace_pos;
    Value fleet;  // the fleet.yaml to write with -o: customization merged, reduced, name pinned;
                  // Null without one
    bool operator_chart = false;  // helm.chart is the operator's chart
    std::string chart_version;    // exact helm.version, "" if absent
    Pos chart_pos;
    bool rendered = true;  // false: some other chart; copied whole, named in the summary
    std::string chart;     // what helm.chart says, for that summary
    std::vector<NamedPath> not_copied;  // what it needs, and what a copy of its files has not
};

// The env file behind the secretGenerator named `operator-oauth`, if a kustomization lists one.
struct OAuthEnvFile {
    Pos pos;           // the `envs:` entry
    std::string path;  // as displayed
    bool present = false;
    bool encrypted = false;                                    // by SOPS: there are no entries
    std::vector<std::pair<std::string, std::string>> entries;  // never printed, never logged
};

// A kustomization that says what tailrender does not do, and that nothing of ours is in: its files
// are copied as they are, for kustomize to build.
struct LeftAlone {
    std::uint32_t bundle = 0;
    std::string dir;  // relative to the bundle's directory, never ""
};

}  // namespace renderer
