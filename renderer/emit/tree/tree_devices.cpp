#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"
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

// Returns the classes of Services of type LoadBalancer, by object name.
std::map<std::string, std::string> load_balancer_classes(const load::Loaded& loaded) {
    std::map<std::string, std::string> classes;
    for (const Document& doc : loaded.documents) {
        const std::string_view name = text_of(doc.root, {"spec", "loadBalancerClass"});
        if (text_of(doc.kind) == "Service" && doc.reachable && !name.empty() &&
            text_of(doc.root, {"spec", "type"}) == "LoadBalancer") {
            classes.emplace(doc.object_name(), name);
        }
    }
    return classes;
}

std::vector<repo::InventoryDevice> tree_devices(const Output& output) {
    const SourceNames names(output.loaded);
    const std::map<std::string, std::string> classes = load_balancer_classes(output.loaded);
    std::vector<repo::InventoryDevice> devices;
    const auto add = [&](const Origin& origin, const std::string& hostname) {
        const auto load_balancer_class = classes.find(origin.parent);
        devices.push_back({.parent = origin.parent,
                           .hostname = hostname,
                           .unit = applied_by(output.loaded, origin.pos),
                           .source = source_of(output.loaded, names, origin.pos),
                           .values = {},
                           .load_balancer_class = load_balancer_class == classes.end()
                                                      ? std::string()
                                                      : load_balancer_class->second});
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

// Returns an entry for each text that is known of a unit.
std::vector<repo::InventoryDevice> entries_of(
    const std::set<std::pair<std::string, std::string>>& texts) {
    std::vector<repo::InventoryDevice> entries;
    for (const auto& [unit, text] : texts) {
        if (!text.empty()) {
            entries.push_back({.parent = text, .hostname = "", .unit = unit, .source = ""});
        }
    }
    return entries;
}

// Returns the bundle of Fleet that installs the operator's chart.
std::vector<repo::InventoryDevice> bundle_settings(const load::Loaded& loaded,
                                                   const SourceNames& names) {
    const engines::Bundle* bundle =
        loaded.operator_bundle ? &loaded.bundles[*loaded.operator_bundle] : nullptr;
    if (bundle == nullptr || !bundle->operator_chart) {
        return {};
    }
    return {{.parent = fmt::format("Bundle/{}", bundle->name),
             .hostname = "",
             .unit = "",
             .source = source_of(loaded, names, bundle->chart_pos)}};
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
        return bundle_settings(output.loaded, names);
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
            .remotes = entries_of(output.loaded.standings.remotes),
            .revisions = entries_of(output.loaded.standings.revisions)};
}

}  // namespace renderer::emit
