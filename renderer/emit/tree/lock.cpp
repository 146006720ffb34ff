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

void LockText::add(const Output& run) {
    if (clusters_.empty()) {
        earlier_ = run.loaded.locked_ports;
    }
    clusters_.emplace(load::own_cluster(run.loaded));
    planned_.insert(planned_.end(), run.plan.locked_ports.begin(), run.plan.locked_ports.end());
}

std::string LockText::text() const {
    Lines egress;
    Lines nodes;
    const auto add_line = [&](const load::LockedPort& port) {
        Lines& lines = port.kind == load::LockedKind::NodePort ? nodes : egress;
        lines.insert_or_assign(line_key(port), port.number);
    };
    for (const load::LockedPort& port : earlier_) {
        if (!clusters_.contains(port.cluster)) {
            add_line(port);
        }
    }
    std::ranges::for_each(planned_, add_line);
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
