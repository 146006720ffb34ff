#include "renderer/load/units.h"

#include "renderer/load/kustomize/kustomization.h"
#include "renderer/load/roots/cluster_choice.h"
#include "renderer/load/roots/plan.h"
#include "renderer/load/tree/paths.h"
#include "renderer/load/tree/source_tree.h"
#include "renderer/load/walk.h"

namespace renderer {

UnitList list_units(const LoadOptions& options, SourceMap& sources, Diagnostics& diagnostics) {
    UnitList list;
    const std::shared_ptr<const SourceTree> tree = source_tree(options);
    const std::string root = normal_path(options.path);
    if (tree->kind(root) != EntryKind::Directory) {
        diagnostics.error("missing-path", {}, "no such directory").where(root);
        return list;
    }
    const std::vector<WalkedDir> walked = walk_tree(*tree, root, options.output_dir, diagnostics);
    DirList dirs;
    for (const WalkedDir& dir : walked) {
        dirs.push_back(&dir);
    }
    KustomizationReader reader(*tree, sources, options.output_dir);
    GitOpsTree repository(*tree, dirs, root, sources, options);
    list.units = plan_units(repository, reader, sources, options, diagnostics);
    if (!options.cluster.empty()) {
        choose_cluster(repository, options.cluster, list.units, diagnostics);
    }
    for (const BuildUnit& unit : list.units) {
        list.inputs.push_back(input_count(repository, unit));
    }
    list.unreached = unreached_inputs(repository, list.units);
    return list;
}

}  // namespace renderer
