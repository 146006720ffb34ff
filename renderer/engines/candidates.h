// The objects of engines in a tree as their files say them, before anything is built.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/engines/argo/application_set.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/cluster_choice.h"
#include "renderer/engines/gitops_tree.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

struct Candidate {
    std::string file;
    std::string name;  // "ApplicationSet apps"
    bool is_flux = false;
    bool is_bootstrap = false;
    std::vector<BuildUnit> units;
    // What the engine says to an object that lacks something, unless a patch adds it.
    std::optional<BuildUnit> refused = {};
    bool is_partial = false;  // it has nothing that says what is applied, and to where

    [[nodiscard]] bool claims(const std::string& path) const;
};

// The unit applies the file, as a manifest. What lies beside a chart is nothing to the chart.
bool holds_manifest(const BuildUnit& unit, const std::string& path);

// Of two of the same tree that apply each other the first does.
bool applies(const Candidate& parent, const Candidate& child);

class Candidates {
public:
    Candidates(GitOpsTree& repository, KustomizationReader& reader)
        : repository_(repository), reader_(reader), sets_(repository) {}

    // Looks for those of the tree.
    void find();

    [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }

    // With what they hold, also of an object that something has made. `is_final`: it is as the
    // engine gets it, and may lack nothing.
    std::vector<BuildUnit> units_of(const EngineObject& object, bool is_final = true);

    // What Argo CD is told for the cluster that it runs in, by the root and by all below it.
    void add_names(const Candidate& root, RootFolder& folder) const;

private:
    std::vector<BuildUnit> set_units(const EngineObject& set);

    GitOpsTree& repository_;
    KustomizationReader& reader_;
    ApplicationSets sets_;
    std::vector<Candidate> all_;
};

}  // namespace renderer
