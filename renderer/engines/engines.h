// What the engines (Flux, Argo CD, Fleet, kustomize, helm) apply of a tree, as units. An engine has
// a folder here: it says which units a tree has and whether each is live
// (renderer/engines/liveness.h), with which namespace and variables its objects are applied, and it
// builds a unit into documents with their origins, or says why it is unknown what is in it. Here
// are the two questions about a whole tree: what is read (a run that renders), and what each unit
// holds
// (`tailrender roots`).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"
#include "renderer/engines/build_unit.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/selection.h"
#include "renderer/repo/load_options.h"
#include "renderer/repo/source_tree.h"

namespace renderer::engines {

// Chooses the files that are read, and builds those units that may hold inputs: for each file its
// text, its unit, whether that is applied, and the rule for namespaces. An input behind which a
// unit may be that is broken or unknown is an error. `root` is a directory or a file, as a normal
// path. `local`: the sources that `--source` gives; null: none.
Selection select_inputs(const repo::SourceTree& tree, const std::string& root,
                        const repo::LoadOptions& options, const Cluster& cluster,
                        const std::shared_ptr<const LocalSources>& local, SourceMap& sources,
                        Diagnostics& diagnostics);

struct UnitList {
    std::vector<BuildUnit> units;     // parents before children
    std::vector<std::size_t> inputs;  // number of files with inputs in each unit
    bool are_applied = true;          // false: inputs outside of units are also rendered
    // Names of files with inputs that no unit applies, by directory.
    std::map<std::string, std::vector<std::string>> unreached;
};

// Lists what Flux and Argo CD apply of a tree, and which inputs no unit applies: what `--only
// generated` follows.
UnitList list_units(repo::LoadOptions options, SourceMap& sources, Diagnostics& diagnostics);

}  // namespace renderer::engines
