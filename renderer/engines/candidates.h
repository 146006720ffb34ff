// The engine objects in the files of a tree, before anything is built.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/engines/argo/application_set.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/cluster_choice.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

struct Candidate {
    std::string file;
    std::string name;  // "ApplicationSet apps"
    bool is_flux = false;
    bool is_bootstrap = false;
    std::vector<BuildUnit> units;
    // The unit to use if the engine rejects the object as incomplete; a patch may complete it.
    std::optional<BuildUnit> refused = {};
    bool is_partial = false;  // it lacks all fields of its kind, so it may be a patch

    [[nodiscard]] bool claims(const std::string& path) const;
};

// True if the unit applies the file as a manifest. A chart does not apply files in its directory.
bool holds_manifest(const BuildUnit& unit, const std::string& path);

// True if the parent applies the child. If two apply each other, the first one is the parent.
bool applies(const Candidate& parent, const Candidate& child);

class Candidates {
public:
    Candidates(GitOpsTree& repository, KustomizationReader& reader)
        : repository_(repository), reader_(reader), sets_(repository) {}

    // Finds the candidates of the tree.
    void find();

    [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }

    // Returns those of Flux that apply their own file.
    [[nodiscard]] std::vector<const Candidate*> self_applied() const;

    // Returns the units of an object, including their content; the object may be a generated one.
    // `is_final`: the engine gets the object as it is, so it must be complete.
    // `may_skip`: Argo CD applies the object, but not if it is a hook that is skipped.
    std::vector<BuildUnit> units_of(const EngineObject& object, bool is_final = true,
                                    bool may_skip = false);

    // Adds the names that the root and everything below it apply to Argo CD's own cluster.
    void add_names(const Candidate& root, RootFolder& folder) const;

private:
    [[nodiscard]] std::vector<const Value*> input_providers() const;
    std::string set_directory(const EngineObject& set);
    std::vector<BuildUnit> set_units(const EngineObject& set);

    GitOpsTree& repository_;
    KustomizationReader& reader_;
    ApplicationSets sets_;
    std::vector<Candidate> all_;
};

}  // namespace renderer::engines
