#include <optional>
#include <string>
#include <vector>

#include "renderer/emit/emit.h"
#include "renderer/emit/tree/source_names.h"
#include "renderer/repo/paths.h"

namespace renderer::emit {
namespace {

std::string applied_by(const load::Loaded& loaded, Pos pos) {
    return pos.known() ? load::unit_of(loaded, loaded.sources.source_of(pos))->path : std::string();
}

// The source of generated text is the file that it was generated from.
std::string source_of(const load::Loaded& loaded, const SourceNames& names, Pos pos) {
    const std::string_view file =
        pos.known() ? loaded.sources.file_of_part(pos) : std::string_view();
    return file.empty() ? std::string(names.of(pos)) : repo::relative_path(file, loaded.root);
}

std::vector<repo::InventoryDevice> tree_devices(const Output& output) {
    const SourceNames names(output.loaded);
    std::vector<repo::InventoryDevice> devices;
    const auto add = [&](const Origin& origin, const std::string& hostname) {
        devices.push_back({.parent = origin.parent,
                           .hostname = hostname,
                           .unit = applied_by(output.loaded, origin.pos),
                           .source = source_of(output.loaded, names, origin.pos)});
    };
    for (const plan::Workload& workload : output.plan.workloads) {
        for (const std::string& hostname : workload.hostnames) {
            add(workload.origin, hostname);
        }
    }
    for (const plan::OfferedService& service : output.plan.offered) {
        if (!service.group.empty()) {
            add(service.origin, service.name());
        }
    }
    return devices;
}

std::vector<repo::InventoryDevice> tree_remotes(const Output& output) {
    std::vector<repo::InventoryDevice> remotes;
    for (const auto& [unit, address] : output.loaded.standings.remotes) {
        remotes.push_back({.parent = address, .hostname = "", .unit = unit, .source = ""});
    }
    return remotes;
}

std::vector<repo::InventoryDevice> tree_settings(const Output& output, const Document* deployment) {
    const std::optional<load::OperatorRelease>& release = output.loaded.operator_release;
    const SourceNames names(output.loaded);
    if (deployment != nullptr) {
        const Pos pos = deployment->kind.pos();
        return {{.parent = deployment->object_name(),
                 .hostname = "",
                 .unit = applied_by(output.loaded, pos),
                 .source = source_of(output.loaded, names, pos)}};
    }
    if (!release) {
        return {};
    }
    return {{.parent = release->object,
             .hostname = "",
             .unit = release->unit,
             .source = source_of(output.loaded, names, release->pos),
             .values = release->digest}};
}

}  // namespace

repo::TreeInventory tree_inventory(const Output& output, const Document* deployment) {
    return {.files = {},
            .devices = tree_devices(output),
            .settings = tree_settings(output, deployment),
            .remotes = tree_remotes(output)};
}

}  // namespace renderer::emit
