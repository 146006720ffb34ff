#include "renderer/engines/applied_units.h"
#include "renderer/engines/cluster_choice.h"
#include "renderer/engines/cluster_config.h"
#include "renderer/engines/engines.h"
#include "renderer/engines/flux/local_sources.h"
#include "renderer/engines/includes.h"
#include "renderer/engines/kustomize/kustomization.h"
#include "renderer/engines/liveness.h"
#include "renderer/engines/unit_inputs.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/source_tree.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

UnitList list_units(repo::LoadOptions options, SourceMap& sources, Diagnostics& diagnostics) {
    UnitList list;
    const std::shared_ptr<const repo::SourceTree> base = repo::source_tree(options);
    const std::string root = repo::normal_path(options.path);
    if (base->kind(root) != repo::EntryKind::Directory) {
        diagnostics.error("missing-path", {}, "no such directory").where(root);
        return list;
    }
    Diagnostics discarded;  // a render reports these errors
    const Cluster cluster = load_cluster(*base, options, sources, discarded);
    give_facts(cluster, options);
    const auto local = std::make_shared<const LocalSources>(*base, options, cluster, diagnostics);
    const repo::SourceTree* tree = &local->tree();
    const std::vector<repo::WalkedDir> walked =
        repo::walk_tree(*tree, root, options.output_dir, diagnostics, {},
                        hidden_includes(*tree, root, options, cluster));
    DirList dirs;
    for (const repo::WalkedDir& dir : walked) {
        dirs.push_back(&dir);
    }
    for (const repo::WalkedDir& dir : local->outside()) {
        dirs.push_back(&dir);
    }
    KustomizationReader reader(*tree, sources, options.output_dir, local);
    GitOpsTree repository(*tree, dirs, root, sources, options, local);
    const UnitChoice choice = unit_choice(dirs, root, options, cluster);
    list.units = applied_units(repository, reader, sources, options, choice.ignores, diagnostics);
    list.are_applied = are_applied(list.units);
    if (!options.cluster.empty()) {
        (void)choose_cluster(repository, options, cluster, list.units, diagnostics);
    }
    for (const BuildUnit& unit : list.units) {
        list.inputs.push_back(input_count(repository, unit));
    }
    add_includes(repository, reader, choice.includes, list.units);
    for (std::size_t i = list.inputs.size(); i < list.units.size(); ++i) {
        list.inputs.push_back(input_count(repository, list.units[i]));
    }
    list.unreached = unreached_inputs(repository, list.units);
    std::erase_if(list.unreached, [&](const auto& one) { return choice.ignores_below(one.first); });
    local->warn_unused(diagnostics);
    return list;
}

}  // namespace renderer::engines
