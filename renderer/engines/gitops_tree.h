// What a tree contains for GitOps engines: the objects of Flux and Argo CD as in their files. Files
// are read once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/argo/argo_clusters.h"
#include "renderer/engines/argo/own_repository.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/engine_object.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/flux/flux_sources.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/flux/variable_sources.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// True if the text may have an object of an engine: one that applies something, or a Flux source.
bool may_hold_engine(std::string_view text);
// True for a text with a HelmRelease whose chart may be a directory of a GitRepository or a Bucket.
bool installs_chart_of_source(std::string_view text);

// What a manifest is for engines.
struct FileRoles {
    bool holds_units = false;
    bool makes_units = false;
    bool is_chart_manifest = false;
    bool is_skipped = false;
};

// True if a build made the object of the one in this file.
bool is_made_of(const EngineObject& built, const EngineObject& raw);

class GitOpsTree {
public:
    // `root`: the top of the repository, a normalized path. Errors in files are not reported here.
    // Uses the options threads, output_dir, argo_clusters, substitutes and configured_substitutes.
    // `local`: the sources that `--source` gives; null: none.
    GitOpsTree(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
               SourceMap& sources, const repo::LoadOptions& options,
               std::shared_ptr<const LocalSources> local);

    // The clusters of Argo CD; its own only if it is described. Empty if none is known.
    [[nodiscard]] const std::vector<ArgoCluster>& argo_clusters() const { return argo_clusters_; }

    [[nodiscard]] const std::vector<EngineObject>& objects() const { return objects_; }

    // Objects that give a path to an installed Flux Operator, also as values of its chart.
    [[nodiscard]] const std::vector<EngineObject>& instances() const { return instances_; }

    // Releases of charts, by Flux or k3s, whose values may have a path.
    [[nodiscard]] const std::vector<EngineObject>& releases() const { return releases_; }

    // Ordered by path.
    [[nodiscard]] const std::vector<RefusedFile>& refused_files() const { return refused_; }

    // True if the file may have an object that applies something.
    [[nodiscard]] bool is_unit_file(const std::string& file) const {
        return roles_of(file).holds_units;
    }

    // True if such objects may be made from the file: a template of a chart, which may also be
    // applied as a plain directory, or chart values.
    [[nodiscard]] bool may_make_units(const std::string& file) const {
        return roles_of(file).makes_units;
    }

    // True for a manifest in the folder of a chart: it is applied if the folder is, as a directory.
    [[nodiscard]] bool is_chart_manifest(const std::string& file) const {
        return roles_of(file).is_chart_manifest;
    }

    // Returns the directory of a source's path. `..` cannot leave the root, and `./x`, `/x` and `x`
    // are the same.
    [[nodiscard]] std::string directory(std::string_view path) const;

    [[nodiscard]] FluxSources& flux_sources() { return flux_sources_; }
    [[nodiscard]] const FluxSources& flux_sources() const { return flux_sources_; }

    [[nodiscard]] VariableSources& variable_sources() const { return variable_sources_; }

    // Which repository this is, for sources of Argo CD.
    [[nodiscard]] const OwnRepository& own_repository() const { return own_repository_; }
    // Learns it from objects that are not in a file, unless the files have determined it.
    void learn_own_repository(const std::vector<EngineObject>& objects) {
        own_repository_.learn(objects);
    }

    // True if Argo CD may load files outside of a kustomization, by its ConfigMap or chart values.
    [[nodiscard]] bool argo_loads_any() const { return argo_loads_any_; }

    // True if a release of Flux may install a chart of a GitRepository or a Bucket.
    [[nodiscard]] bool installs_own_charts() const { return installs_own_charts_; }

    // Replaces objects by what kustomizations make of them, and learns the sources again. Objects
    // have the file that they are from.
    void take_patched(std::vector<EngineObject> patched);
    // Replaces the instances; there may be several of one file. Called before take_patched.
    void take_instances(std::vector<EngineObject> patched);
    // Adds objects that the Flux Operator makes, and learns the sources again.
    void add_objects(const std::vector<EngineObject>& made);

    // Returns copies of the objects in a file.
    [[nodiscard]] std::vector<EngineObject> objects_in(const std::string& file) const;

    // Returns the maps of a YAML text and the items of its lists. The text is added to the sources.
    std::vector<EngineObject> read(const std::string& path, std::string text) const;

    // True if the manifest tells Argo CD to skip it.
    [[nodiscard]] bool is_skipped(const std::string& file) const {
        return roles_of(file).is_skipped;
    }

    // All manifests, and whether they mention Tailscale.
    [[nodiscard]] const std::map<std::string, bool>& mentions() const { return mentions_; }

    // As has_input, for a file of the tree.
    bool holds_input(const std::string& path);

    [[nodiscard]] const repo::SourceTree& tree() const { return tree_; }
    [[nodiscard]] const std::string& root() const { return root_; }
    [[nodiscard]] const repo::WalkedDir* find(const std::string& dir) const;
    [[nodiscard]] const DirList& dirs() const { return dirs_; }

private:
    [[nodiscard]] FileRoles roles_of(const std::string& file) const;
    void collect(unsigned threads);
    void collect_of_charts(unsigned threads,
                           std::vector<std::pair<std::string, std::string>>& texts);
    void find_argo_clusters(const std::vector<std::string>& named);

    const repo::SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    std::vector<std::string> input_words_;
    FluxSources flux_sources_;
    mutable VariableSources variable_sources_;  // reads files when it is first asked
    OwnRepository own_repository_;
    std::map<std::string, const repo::WalkedDir*> known_dirs_;
    std::map<std::string, FileRoles> roles_;                        // by file
    std::map<std::string, std::vector<std::size_t>> engine_files_;  // indexes of objects_
    std::map<std::string, std::vector<EngineObject>> outside_;      // of other sources, by file
    std::vector<EngineObject> objects_, instances_, releases_;
    std::vector<RefusedFile> refused_;
    bool argo_loads_any_ = false;
    bool installs_own_charts_ = false;
    std::vector<ArgoCluster> argo_clusters_;
    std::map<std::string, bool> inputs_;  // results of holds_input, by file
    std::map<std::string, bool> mentions_;
};

}  // namespace renderer::engines
