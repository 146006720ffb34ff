// Bundles of Fleet, and files that belong to a bundle without being manifests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/value.h"

namespace renderer::engines {

// A path as it is spelled in a file.
struct NamedPath {
    Pos pos;
    std::string path;
};

// An entry of `sources` in .tailrender.yaml.
struct NamedSource {
    std::string key;
    NamedPath path;
};

// A directory that Fleet deploys as one unit. A tree without fleet.yaml is one bundle.
struct Bundle {
    std::string dir;   // relative to the root that was read; "" = the root itself
    std::string name;  // fleet.yaml `name`, else derived from the directory; "" for a plain tree
    Pos pos;           // of its fleet.yaml; unknown for a plain tree
    std::string default_namespace;  // fleet.yaml `defaultNamespace`, else --namespace; may be empty
    std::string forced_namespace;   // fleet.yaml `namespace`
    Pos forced_namespace_pos;
    Value fleet;  // the fleet.yaml to write with -o: customizations are merged, and the name is
                  // set; Null without one
    bool operator_chart = false;  // helm.chart is the operator's chart
    std::string chart_version;    // helm.version, may be a range
    Pos chart_pos;
    bool rendered = true;  // false: another chart, which is copied whole and named in the summary
    std::string chart;     // helm.chart, for that summary
    std::vector<NamedPath> not_copied;  // files that it needs and that are outside of the bundle
};

// The env file behind the secretGenerator named `operator-oauth`, if a kustomization lists one.
struct OAuthEnvFile {
    Pos pos;           // the `envs:` entry
    std::string path;  // as displayed
    bool present = false;
    bool encrypted = false;                                    // by SOPS; `entries` is empty
    std::vector<std::pair<std::string, std::string>> entries;  // never printed, never logged
};

// A kustomization that only kustomize can build and that does not concern Tailscale. Its files are
// copied unchanged.
struct LeftAlone {
    std::uint32_t bundle = 0;
    std::string dir;  // relative to the bundle's directory, never ""
};

}  // namespace renderer::engines
