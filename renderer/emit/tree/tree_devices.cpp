// The devices of the plan, as listed in the inventory.
#include <string>
#include <vector>

#include "renderer/emit/emit.h"
#include "renderer/emit/tree/source_names.h"
#include "renderer/repo/paths.h"

namespace renderer {
namespace {

std::string applied_by(const Loaded& loaded, Pos pos) {
    return pos.known() ? unit_of(loaded, loaded.sources.source_of(pos))->path : std::string();
}

// The source of generated text is the file that it was generated from.
std::string source_of(const Loaded& loaded, const SourceNames& names, Pos pos) {
    const std::string_view file =
        pos.known() ? loaded.sources.file_of_part(pos) : std::string_view();
    return file.empty() ? std::string(names.of(pos)) : relative_path(file, loaded.root);
}

}  // namespace

std::vector<InventoryDevice> tree_devices(const Output& output) {
    const SourceNames names(output.loaded);
    std::vector<InventoryDevice> devices;
    const auto add = [&](const Origin& origin, const std::string& hostname) {
        devices.push_back({.parent = origin.parent,
                           .hostname = hostname,
                           .unit = applied_by(output.loaded, origin.pos),
                           .source = source_of(output.loaded, names, origin.pos)});
    };
    for (const Workload& workload : output.plan.workloads) {
        for (const std::string& hostname : workload.hostnames) {
            add(workload.origin, hostname);
        }
    }
    for (const OfferedService& service : output.plan.offered) {
        if (!service.group.empty()) {
            add(service.origin, service.name());
        }
    }
    return devices;
}

}  // namespace renderer
