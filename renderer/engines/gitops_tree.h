// What a tree says to GitOps engines: the objects of Flux and Argo CD as their files have them, the
// ConfigMaps that variables come from, and which sources are this repository. Files are read once.
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
#include "renderer/engines/build_unit.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/flux/artifact.h"
#include "renderer/engines/flux/generated_maps.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer {

struct EngineObject {
    std::string file;  // where it was read
    Value root;
};

// The text may hold an object of an engine: what applies something, or a source of Flux.
bool may_hold_engine(std::string_view text);

bool is_kind(const Value& object, std::string_view group, std::string_view kind);

class GitOpsTree {
public:
    // `root`: the top of the repository, a normal path. Mistakes in the files are not said here.
    // Of the options threads, argo_clusters, substitutes and local_sources are asked.
    GitOpsTree(const SourceTree& tree, const DirList& dirs, const std::string& root,
               SourceMap& sources, const LoadOptions& options);

    // Other than the one that Argo CD runs in, unless that one is described. None: not said.
    [[nodiscard]] const std::vector<ArgoCluster>& argo_clusters() const { return argo_clusters_; }

    [[nodiscard]] const std::vector<EngineObject>& objects() const { return objects_; }

    // Paths to apply that an installed Flux Operator is given, also as values of its chart.
    [[nodiscard]] const std::vector<EngineObject>& instances() const { return instances_; }

    // In the order of paths.
    [[nodiscard]] const std::vector<RefusedFile>& refused_files() const { return refused_; }

    // May hold an object that applies something.
    [[nodiscard]] bool is_unit_file(const std::string& file) const {
        return unit_files_.contains(file);
    }

    // Likewise: a template of a chart, for whoever takes its folder for a plain directory, too, or
    // values for one.
    [[nodiscard]] bool may_make_units(const std::string& file) const {
        return unit_makers_.contains(file);
    }

    // In the folder of a chart, and all the same an object for whoever applies it as a directory.
    [[nodiscard]] bool is_chart_manifest(const std::string& file) const {
        return chart_manifests_.contains(file);
    }

    // The directory that a source's path means: `..` cannot lead out, and `./x`, `/x` and `x` are
    // the same.
    [[nodiscard]] std::string directory(std::string_view path) const;

    // Of a Flux Kustomization. A source that is not defined in the tree is what the cluster was
    // started with.
    [[nodiscard]] bool has_own_source(const Value& kustomization) const;
    [[nodiscard]] bool is_own_source(std::string_view kind, std::string_view name) const;

    // Where what an object of Flux names as its source is at hand, as the user says: a directory.
    // `ns`: of the object.
    [[nodiscard]] std::optional<std::string> local_source(const Value& source_ref,
                                                          std::string_view ns) const;

    // Where a repository is at hand, as the user says. None: nowhere.
    [[nodiscard]] std::optional<std::string> local_repository(std::string_view url) const;

    // False: no object of the tree says which repository it is, so others may be it.
    [[nodiscard]] bool knows_itself() const { return !own_.empty(); }

    // Of another source.
    [[nodiscard]] bool is_outside(const std::string& file) const;

    // No commit that follows reaches what has this object as its source.
    [[nodiscard]] bool is_suspended(std::string_view kind, std::string_view source) const;

    // Names of GitRepositories of Flux that are other ones.
    [[nodiscard]] std::set<std::string> foreign_sources() const;

    // What Flux makes of this repository, of which `source` is a name. `file`: where someone says
    // so. `tops`: what is taken of it, normal paths; none: all. None: the whole tree.
    std::shared_ptr<Artifact> artifact(std::string_view source, const std::string& file,
                                       const std::vector<std::string>& tops = {});

    // From objects that are not in a file of the tree. What the files say stays.
    void learn_own_url(const std::vector<EngineObject>& objects);

    // Of an Argo CD source.
    [[nodiscard]] bool is_own_url(std::string_view url) const;
    // False as well where it is not known which repository this is.
    [[nodiscard]] bool is_other_url(std::string_view url) const;

    // Variables of Flux that the user gives.
    [[nodiscard]] const UnitVariables& substitutes() const { return substitutes_; }

    // Argo CD is told so by its ConfigMap, or by values of its chart.
    [[nodiscard]] bool argo_loads_any() const { return argo_loads_any_; }

    // Those of this name, of all namespaces; where no file has one, those that kustomizations make.
    std::vector<const Value*> config_maps(std::string_view name);

    // Copies of its objects.
    [[nodiscard]] std::vector<EngineObject> objects_in(const std::string& file) const;

    // The maps of a YAML text, which is added to the sources, and the items of its lists.
    std::vector<EngineObject> read(const std::string& path, std::string text) const;

    // A manifest that Argo CD leaves out, as it says itself.
    [[nodiscard]] bool is_skipped(const std::string& file) const { return skipped_.contains(file); }

    // Each manifest, and whether it mentions Tailscale.
    [[nodiscard]] const std::map<std::string, bool>& mentions() const { return mentions_; }

    // Kubernetes objects, or a kustomization's patches of them, that may be inputs of ours.
    bool holds_input(const std::string& path);

    [[nodiscard]] const SourceTree& tree() const { return tree_; }
    [[nodiscard]] const std::string& root() const { return root_; }
    [[nodiscard]] const WalkedDir* find(const std::string& dir) const;
    [[nodiscard]] const DirList& dirs() const { return dirs_; }

private:
    void collect();
    void collect_of_charts(std::vector<std::pair<std::string, std::string>>& texts);
    [[nodiscard]] bool is_part_of_chart(const std::string& file) const;
    std::vector<EngineObject> read(const std::string& path, std::string text,
                                   std::vector<RefusedFile>& refused) const;
    void find_own_sources();
    [[nodiscard]] std::string ignored_by(std::string_view source, const std::string& file) const;
    void find_argo_clusters(const std::vector<std::string>& named);

    const SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    unsigned threads_;
    std::map<std::string, const WalkedDir*> known_dirs_;
    std::map<std::string, std::vector<std::size_t>> engine_files_;  // indices of objects_
    std::set<std::string> unit_files_, unit_makers_, chart_manifests_;
    std::vector<EngineObject> objects_, instances_;
    std::vector<RefusedFile> refused_;
    std::map<std::string, std::string> defined_;  // GitRepository: its repository
    struct Ignored {
        std::string file;  // of the GitRepository
        std::string patterns;
    };
    std::map<std::string, std::vector<Ignored>, std::less<>> ignored_;  // by the source's name
    std::map<std::string, std::shared_ptr<Artifact>> artifacts_;        // by patterns and tops
    std::string output_dir_;
    std::set<std::string, std::less<>> suspended_;          // sources: Kind/name
    std::map<std::string, std::string, std::less<>> urls_;  // likewise
    std::shared_ptr<const LocalSources> local_;
    std::map<std::string, std::vector<EngineObject>> outside_;  // objects in files of other sources
    std::set<std::string> own_;
    std::string own_url_;  // "" when several could be
    std::map<std::string, std::vector<Value>, std::less<>> config_maps_;  // when one is asked for
    GeneratedMaps generated_maps_;
    bool has_config_maps_ = false;
    UnitVariables substitutes_;
    bool argo_loads_any_ = false;
    std::vector<ArgoCluster> argo_clusters_;
    std::map<std::string, bool> inputs_;  // files that were asked for
    std::map<std::string, bool> mentions_;
    std::set<std::string> skipped_;
};

// Sources of an Application with a path in a repository; those of charts are left out.
std::vector<const Value*> sources_of(const Value& application);

}  // namespace renderer
