// fleet.yaml: what Fleet would do with a directory on the cluster that is rendered. Merges the
// matching customizations as Fleet's controller does, determines the style (chart, kustomization or
// raw manifests) and the fleet.yaml of the rendered bundle. Source: Fleet
// internal/cmd/controller/options/calculate.go, internal/bundlereader.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/engines/bundle.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Returns the fields of fleet.yaml. Fleet ignores unknown fields; here they are errors. Source:
// Fleet schemas/fleet.yaml.json.
repo::Schema fleet_schema();

struct FleetFile {
    Pos pos = {};                         // its first byte
    Value root = {};                      // as written
    Value merged = {};                    // with the matching customizations
    std::vector<const Value*> helm = {};  // `helm` sections in root, in rising precedence
    // Every valuesFiles entry, also of customizations that do not match: none is part of the
    // bundle.
    std::vector<std::string> values_files = {};
    bool usable = false;
    // The bundle contains nothing of Tailscale: it is copied whole, and Fleet decides in the
    // cluster.
    bool is_left_alone = false;
    bool deployed = true;  // false: Fleet excludes the cluster (overrideTargets, doNotDeploy)

    // Returns the base options, then those of each customization.
    [[nodiscard]] std::vector<const Value*> options() const;
    // True if `relative` (to the bundle) is a values file, or a top-level file with the name of
    // one.
    [[nodiscard]] bool is_values_file(std::string_view relative) const;

    // Values of the merged options.
    [[nodiscard]] std::string_view helm_text(std::string_view key) const;
    [[nodiscard]] bool helm_flag(std::string_view key) const;
    [[nodiscard]] bool has_chart() const;
    [[nodiscard]] bool is_operator_chart() const;
    [[nodiscard]] std::string kustomize_dir() const;  // "." if none is set
};

FleetFile read_fleet(const repo::SourceTree& tree, const std::string& path, const Cluster& cluster,
                     SourceMap& sources, Diagnostics& diagnostics);

// `dir`: relative to the root. `rendered`: false for a chart that is not rendered.
Bundle make_bundle(const FleetFile& fleet, const std::string& dir,
                   const std::string& default_namespace, bool rendered);

// Adds the values of the operator's chart in Fleet's order, and to `from` the objects with further
// values below them. Values that are only known in the cluster are errors.
void add_chart_values(const repo::SourceTree& tree, const FleetFile& fleet, const Cluster& cluster,
                      const std::string& dir, SourceMap& sources, std::vector<Value>& layers,
                      std::vector<ValuesSource>& from, Diagnostics& diagnostics);

// Returns the name that Fleet derives from a path, without the prefix of the GitRepo's name, which
// is not known offline.
std::string bundle_slug(std::string_view dir);

}  // namespace renderer::engines
