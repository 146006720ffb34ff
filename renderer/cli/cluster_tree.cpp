#include "renderer/cli/cluster_tree.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/yaml_writer.h"

namespace renderer::cli {
namespace {

// Returns all documents that engines leave as they are. Only parents among them are looked up.
diff::KeptParents kept_parents(const Run& run) {
    diff::KeptParents kept;
    for (const Document& document : run.loaded.documents) {
        if (document.kept != kNone) {
            kept.emplace(document.object_name(), load::kept_reason(run.loaded, document));
        }
    }
    return kept;
}

// Returns the Services of the sources if the output holds only generated objects; otherwise the
// output has them, and the result is empty.
std::vector<emit::OutputFile> services_of(const Run& run) {
    std::vector<emit::OutputFile> services;
    if (!run.loaded.only_generated) {
        return services;
    }
    for (const classify::ServiceInput& service : run.inventory.services) {
        Diagnostics discarded;
        Value root = load::read_document(run.loaded, *service.doc, discarded);
        Value* metadata = root.find("metadata");
        if (metadata == nullptr || !metadata->is_map()) {
            continue;
        }
        metadata->put("namespace", service.ns);
        emit::OutputFile& file = services.emplace_back();
        file.path = fmt::format("{}/{}.yaml", service.ns, service.name);
        write_yaml(root, file.content);
    }
    return services;
}

}  // namespace

diff::ClusterTree cluster_tree(const Run& run, std::vector<emit::OutputFile> files) {
    const emit::Output output{run.loaded, run.plan, run.objects};
    return {.cluster = run.loaded.cluster,
            .files = std::move(files),
            .kept = kept_parents(run),
            .facts = services_of(run),
            .inventory = emit::tree_inventory(output, run.inventory.stock_operator.deployment)};
}

Result<diff::ClusterTree> cluster_tree(const Run& run, unsigned threads) {
    return cluster_tree(run, TRY(emit::emit_tree({run.loaded, run.plan, run.objects}, threads)));
}

}  // namespace renderer::cli
