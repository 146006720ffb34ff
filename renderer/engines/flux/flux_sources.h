// The sources of Flux that a tree defines: which are this repository, which are available locally,
// and which files they exclude.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/engine_fields.h"
#include "renderer/engines/engine_object.h"
#include "renderer/engines/fleet/fleet_files.h"
#include "renderer/engines/flux/artifact.h"
#include "renderer/engines/flux/flux_revisions.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// True if the file may be a kustomization that changes the fields of objects.
bool may_change_objects(const repo::SourceTree& tree, const std::string& path);
// The same for a Kustomization of Flux.
bool changes_objects(const Value& kustomization);

class FluxSources {
public:
    // All references must outlive this object. `root`: the top of the repository, a normalized
    // path. `local`: the sources that `--source` gives; null: none.
    FluxSources(const repo::SourceTree& tree, const DirList& dirs, const std::string& root,
                SourceMap& sources, std::string output_dir,
                std::shared_ptr<const LocalSources> local);

    // Reads the sources among the objects, in place of those that were learned before. `instances`:
    // objects that give a path to an installed Flux Operator.
    void learn(const std::vector<EngineObject>& objects,
               const std::vector<EngineObject>& instances);

    // True if a Flux Kustomization has this repository as its source. A source that is not defined
    // in the tree is the one that the cluster was bootstrapped from.
    [[nodiscard]] bool has_own_source(const Value& kustomization) const;
    [[nodiscard]] bool is_own(std::string_view kind, std::string_view name) const;

    // Returns the local directory of a Flux source, if the user gave one. `ns`: of the object that
    // refers to it.
    [[nodiscard]] std::optional<std::string> find_local(const Value& source_ref,
                                                        std::string_view ns) const;
    // Returns the local directory of a repository, if the user gave one.
    [[nodiscard]] std::optional<std::string> find_local(std::string_view url) const;

    // True for files of other sources.
    [[nodiscard]] bool is_outside(const std::string& file) const;

    // False if no object of the tree identifies this repository, so that others may be it.
    [[nodiscard]] bool know_repository() const { return !own_.empty(); }

    // Returns the name of a source of this kind that is meant, if the name of a source is a typo.
    [[nodiscard]] std::string_view meant_source(std::string_view kind, std::string_view name) const;

    // Returns why the API server rejects the source, if it rejects each object of the tree with
    // this name and no kustomization changes it; nullptr otherwise.
    [[nodiscard]] const IncompleteObject* rejected(std::string_view kind,
                                                   std::string_view name) const;

    // True if the source is suspended: later commits do not reach the objects that use it.
    [[nodiscard]] bool is_suspended(std::string_view kind, std::string_view source) const;

    [[nodiscard]] const FluxRevisions& revisions() const { return revisions_; }

    // Returns the names of GitRepositories that are not this repository.
    [[nodiscard]] std::set<std::string> foreign() const;

    // Returns the artifact that Flux makes of this repository, null if it is the whole tree.
    // `source`: the name of its GitRepository. `file`: contains the object that refers to it.
    // `tops`: the included paths, normalized; empty: all that the GitRepository checks out.
    std::shared_ptr<Artifact> artifact(std::string_view source, const std::string& file,
                                       std::vector<std::string> tops = {});

private:
    struct Ignored {
        std::string file;  // of the GitRepository
        std::string patterns;
        std::vector<std::string> tops;  // normal paths of `sparseCheckout`; empty: all
    };

    [[nodiscard]] std::set<std::string> own_names(const std::vector<EngineObject>& objects) const;
    [[nodiscard]] bool may_be_patched(const EngineObject& source,
                                      const std::vector<EngineObject>& objects) const;
    [[nodiscard]] Ignored ignored_by(std::string_view source, const std::string& file) const;

    const repo::SourceTree& tree_;
    const DirList& dirs_;
    const std::string& root_;
    SourceMap& sources_;
    std::string output_dir_;
    std::shared_ptr<const LocalSources> local_;
    FluxRevisions revisions_;
    std::set<std::string> own_;                   // repositories
    std::map<std::string, std::string> defined_;  // GitRepository -> its repository
    std::map<std::string, std::vector<Ignored>, std::less<>> ignored_;  // by the source's name
    std::map<std::string, std::shared_ptr<Artifact>> artifacts_;        // by patterns and tops
    std::set<std::string, std::less<>> suspended_;                      // Kind/name
    std::map<std::string, std::string, std::less<>> urls_;              // Kind/name -> URL
    // By Kind/name; no value: the API server accepts one with this name.
    std::map<std::string, std::optional<IncompleteObject>, std::less<>> rejected_;
};

}  // namespace renderer::engines
