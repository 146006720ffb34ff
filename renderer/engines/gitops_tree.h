// What a tree contains for GitOps engines: the objects of Flux and Argo CD as in their files, the
// ConfigMaps for variables, and which sources are this repository. Files are read once.
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
#include "renderer/engines/flux/artifact.h"
#include "renderer/engines/flux/generated_maps.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

// True if the text may have an object of an engine: one that applies something, or a Flux source.
bool may_hold_engine(std::string_view text);

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

    // Ordered by path.
    [[nodiscard]] const std::vector<RefusedFile>& refused_files() const { return refused_; }

    // True if the file may have an object that applies something.
    [[nodiscard]] bool is_unit_file(const std::string& file) const {
        return unit_files_.contains(file);
    }

    // True if such objects may be made from the file: a template of a chart, which may also be
    // applied as a plain directory, or chart values.
    [[nodiscard]] bool may_make_units(const std::string& file) const {
        return unit_makers_.contains(file);
    }

    // True for a manifest in the folder of a chart: it is applied if the folder is, as a directory.
    [[nodiscard]] bool is_chart_manifest(const std::string& file) const {
        return chart_manifests_.contains(file);
    }

    // Returns the directory of a source's path. `..` cannot leave the root, and `./x`, `/x` and `x`
    // are the same.
    [[nodiscard]] std::string directory(std::string_view path) const;

    // True if a Flux Kustomization has this repository as its source. A source that is not defined
    // in the tree is the one that the cluster was bootstrapped from.
    [[nodiscard]] bool has_own_source(const Value& kustomization) const;
    [[nodiscard]] bool is_own_source(std::string_view kind, std::string_view name) const;

    // Returns the local directory of a Flux source, if the user gave one. `ns`: of the object that
    // refers to it.
    [[nodiscard]] std::optional<std::string> local_source(const Value& source_ref,
                                                          std::string_view ns) const;

    // Returns the local directory of a repository, if the user gave one.
    [[nodiscard]] std::optional<std::string> local_repository(std::string_view url) const;

    // False if no object of the tree identifies this repository, so that others may be it.
    [[nodiscard]] bool knows_itself() const { return !own_.empty(); }

    // True for files of other sources.
    [[nodiscard]] bool is_outside(const std::string& file) const;

    // True if the source is suspended: later commits do not reach the objects that use it.
    [[nodiscard]] bool is_suspended(std::string_view kind, std::string_view source) const;

    // Returns the names of GitRepositories that are not this repository.
    [[nodiscard]] std::set<std::string> foreign_sources() const;

    // Returns the artifact that Flux makes of this repository, null if it is the whole tree.
    // `source`: the name of its GitRepository. `file`: contains the object that refers to it.
    // `tops`: the included paths, normalized; empty: all.
    std::shared_ptr<Artifact> artifact(std::string_view source, const std::string& file,
                                       const std::vector<std::string>& tops = {});

    // Which repository this is, for sources of Argo CD.
    [[nodiscard]] const OwnRepository& own_repository() const { return own_repository_; }
    // Learns it from objects that are not in a file, unless the files have determined it.
    void learn_own_repository(const std::vector<EngineObject>& objects) {
        own_repository_.learn(objects);
    }

    // The variables of Flux that the user sets.
    [[nodiscard]] const UnitVariables& substitutes() const { return substitutes_; }

    // True if Argo CD may load files outside of a kustomization, by its ConfigMap or chart values.
    [[nodiscard]] bool argo_loads_any() const { return argo_loads_any_; }

    // Returns the ConfigMaps with this name in all namespaces, or, if none, the generated ones.
    std::vector<const Value*> config_maps(std::string_view name);
    // True if there is one, whether its data are known or not.
    bool has_config_map(std::string_view name);
    // Returns the Secrets with this name in all namespaces. Their values may be encrypted.
    std::vector<const Value*> secrets(std::string_view name);

    // Returns copies of the objects in a file.
    [[nodiscard]] std::vector<EngineObject> objects_in(const std::string& file) const;

    // Returns the maps of a YAML text and the items of its lists. The text is added to the sources.
    std::vector<EngineObject> read(const std::string& path, std::string text) const;

    // True if the manifest tells Argo CD to skip it.
    [[nodiscard]] bool is_skipped(const std::string& file) const { return skipped_.contains(file); }

    // All manifests, and whether they mention Tailscale.
    [[nodiscard]] const std::map<std::string, bool>& mentions() const { return mentions_; }

    // As has_input, for a file of the tree.
    bool holds_input(const std::string& path);

    [[nodiscard]] const repo::SourceTree& tree() const { return tree_; }
    [[nodiscard]] const std::string& root() const { return root_; }
    [[nodiscard]] const repo::WalkedDir* find(const std::string& dir) const;
    [[nodiscard]] const DirList& dirs() const { return dirs_; }

private:
    void collect();
    void collect_of_charts(std::vector<std::pair<std::string, std::string>>& texts);
    [[nodiscard]] bool is_part_of_chart(const std::string& file) const;
    std::vector<EngineObject> read(const std::string& path, std::string text,
                                   std::vector<RefusedFile>& refused) const;
    void find_own_sources();
    void find_maps();
    [[nodiscard]] std::string ignored_by(std::string_view source, const std::string& file) const;
    void find_argo_clusters(const std::vector<std::string>& named);

    const repo::SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    unsigned threads_;
    std::map<std::string, const repo::WalkedDir*> known_dirs_;
    std::map<std::string, std::vector<std::size_t>> engine_files_;  // indexes of objects_
    std::set<std::string> unit_files_, unit_makers_, chart_manifests_;
    std::vector<EngineObject> objects_, instances_;
    std::vector<RefusedFile> refused_;
    std::map<std::string, std::string> defined_;  // GitRepository -> its repository
    struct Ignored {
        std::string file;  // of the GitRepository
        std::string patterns;
    };
    std::map<std::string, std::vector<Ignored>, std::less<>> ignored_;  // by the source's name
    std::map<std::string, std::shared_ptr<Artifact>> artifacts_;        // by patterns and tops
    std::string output_dir_;
    std::vector<std::string> input_words_;
    std::set<std::string, std::less<>> suspended_;          // sources: Kind/name
    std::map<std::string, std::string, std::less<>> urls_;  // likewise -> URL
    std::shared_ptr<const LocalSources> local_;
    std::map<std::string, std::vector<EngineObject>> outside_;  // objects of other sources, by file
    std::set<std::string> own_;
    OwnRepository own_repository_;
    std::map<std::string, std::vector<Value>, std::less<>> config_maps_, secrets_;  // once needed
    GeneratedMaps generated_maps_;
    bool has_maps_ = false;  // config_maps_, secrets_ and generated_maps_ were read
    UnitVariables substitutes_;
    bool argo_loads_any_ = false;
    std::vector<ArgoCluster> argo_clusters_;
    std::map<std::string, bool> inputs_;  // results of holds_input, by file
    std::map<std::string, bool> mentions_;
    std::set<std::string> skipped_;
};

}  // namespace renderer::engines
