// fleet.yaml: what Fleet would do with a directory on the cluster that is rendered. Merges the
// customizations that match as Fleet's controller does, decides the style (chart, kustomization or
// raw manifests) and which fleet.yaml the rendered bundle gets. Source: Fleet
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

namespace renderer {

// The fields of fleet.yaml. Fleet itself ignores what it does not know; we do not. Source: Fleet
// schemas/fleet.yaml.json.
Schema fleet_schema();

struct FleetFile {
    Pos pos = {};                         // its first byte
    Value root = {};                      // as written
    Value merged = {};                    // with the customizations that match
    std::vector<const Value*> helm = {};  // `helm` sections into root, rising precedence
    // Every valuesFiles entry, also of customizations that do not match: none enters the bundle.
    std::vector<std::string> values_files = {};
    bool usable = false;
    // Nothing of ours is in the bundle, so it is copied whole, and Fleet decides in the cluster.
    bool is_left_alone = false;
    bool deployed = true;  // false: Fleet leaves the cluster out (overrideTargets, doNotDeploy)

    // The base options first, then those of each customization.
    [[nodiscard]] std::vector<const Value*> options() const;
    // `relative`, to the bundle, is a values file or a file at the top that is called like one.
    [[nodiscard]] bool is_values_file(std::string_view relative) const;

    // Of the merged options.
    [[nodiscard]] std::string_view helm_text(std::string_view key) const;
    [[nodiscard]] bool helm_flag(std::string_view key) const;
    [[nodiscard]] bool has_chart() const;
    [[nodiscard]] bool is_operator_chart() const;
    [[nodiscard]] std::string kustomize_dir() const;  // "." when none is set
};

FleetFile read_fleet(const SourceTree& tree, const std::string& path, const Cluster& cluster,
                     SourceMap& sources, Diagnostics& diagnostics);

// `dir`: relative to the root. `rendered`: false for a chart that is not ours to render.
Bundle make_bundle(const FleetFile& fleet, const std::string& dir,
                   const std::string& default_namespace, bool rendered);

// The values of the operator's chart, in Fleet's order, and `from` which objects there are more
// below them; what is only known in the cluster is an error.
void add_chart_values(const SourceTree& tree, const FleetFile& fleet, const Cluster& cluster,
                      const std::string& dir, SourceMap& sources, std::vector<Value>& layers,
                      std::vector<ValuesSource>& from, Diagnostics& diagnostics);

// The name that Fleet makes of a path, without the GitRepo's name in front: no one knows that
// offline.
std::string bundle_slug(std::string_view dir);

}  // namespace renderer
