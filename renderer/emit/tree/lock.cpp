#include "renderer/emit/tree/lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "renderer/core/yaml_writer.h"
#include "renderer/emit/tree/files.h"

namespace renderer::emit {

namespace {

constexpr std::string_view kHeader =
    "# Ports that ProxyGroups gave out and must keep. Read by every run, written by\n"
    "# tailrender render --update-lock.\n";

std::string line_key(const load::LockedPort& port) {
    return port.cluster.empty() ? port.key : fmt::format("{}/{}", port.cluster, port.key);
}

using Lines = std::map<std::string, std::int64_t>;

Value section(const Lines& lines) {
    Value map = Value::map();
    for (const auto& [key, number] : lines) {
        map.add(key, number);
    }
    return map;
}

}  // namespace

std::string lock_text(std::span<const Output> runs) {
    Lines egress;
    Lines nodes;
    const auto add = [&](const load::LockedPort& port) {
        Lines& lines = port.kind == load::LockedKind::NodePort ? nodes : egress;
        lines.insert_or_assign(line_key(port), port.number);
    };
    const auto rendered = [&](const load::LockedPort& port) {
        return std::ranges::any_of(
            runs, [&](const Output& run) { return load::own_cluster(run.loaded) == port.cluster; });
    };
    for (const Output& run : runs) {
        for (const load::LockedPort& port : run.loaded.locked_ports) {
            if (!rendered(port)) {
                add(port);
            }
        }
        std::ranges::for_each(run.plan.locked_ports, add);
    }
    if (egress.empty() && nodes.empty()) {
        return {};
    }
    Value root = Value::map();
    put_if(root, !egress.empty(), "egressPorts", section(egress));
    put_if(root, !nodes.empty(), "nodePorts", section(nodes));
    std::string text(kHeader);
    write_yaml(root, text);
    return text;
}

Result<bool> write_lock(const std::string& path, const std::string& text) {
    const std::optional<std::string> old = TRY(read_file(path));
    if (old.value_or("") == text) {
        return false;
    }
    TRY(text.empty() ? remove_file(path) : replace_file(path, path + ".new", text, Durable::Yes));
    return true;
}

}  // namespace renderer::emit
