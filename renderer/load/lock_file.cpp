#include "renderer/load/lock_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/repo/closed_schema.h"
#include "renderer/repo/config_file.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

namespace {

struct Section {
    std::string_view name;
    LockedKind kind;
    std::ptrdiff_t slashes;  // number of slashes in a key without a cluster
    std::int64_t first, last;
    std::string_view key;
};

constexpr std::array kSections = {
    Section{"egressPorts", LockedKind::EgressPort, 4, kFirstLockedPort, kLastLockedPort,
            "group/namespace/name/port/TCP or …/UDP"},
    Section{"nodePorts", LockedKind::NodePort, 1, 1, 65535, "group/ordinal"},
};

constexpr std::array kLockFields = {repo::SchemaField{kSections[0].name, repo::FieldType::Map},
                                    repo::SchemaField{kSections[1].name, repo::FieldType::Map}};
constexpr std::string_view kHint = "run tailrender render --update-lock";

Finding refuse(Pos pos, std::string message, std::string_view expected, Diagnostics& diagnostics) {
    return diagnostics.error("invalid-lock", pos, std::move(message))
        .expected(expected)
        .hint(kHint);
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool ends_well(const Section& section, std::string_view key) {
    return section.kind == LockedKind::NodePort ? is_digits(key.substr(key.rfind('/') + 1))
                                                : key.ends_with("/TCP") || key.ends_with("/UDP");
}

std::optional<LockedPort> decode_port(const Section& section, const Member& member,
                                      Diagnostics& diagnostics) {
    std::string_view key = member.name();
    LockedPort port;
    port.kind = section.kind;
    port.pos = member.key.pos();
    const auto slashes = std::ranges::count(key, '/');
    if (slashes == section.slashes + 1) {
        port.cluster = key.substr(0, key.find('/'));
        key.remove_prefix(port.cluster.size() + 1);
    }
    port.key = key;
    if ((slashes != section.slashes && slashes != section.slashes + 1) ||
        !ends_well(section, key)) {
        refuse(port.pos, fmt::format("invalid key \"{}\" of {}", member.name(), section.name),
               fmt::format("{}, with the cluster before it where there are several", section.key),
               diagnostics);
        return std::nullopt;
    }
    const auto number = member.value.is_number() ? member.value.as_int() : std::nullopt;
    if (!number || *number < section.first || *number > section.last) {
        refuse(member.value.pos().known() ? member.value.pos() : port.pos,
               fmt::format("\"{}\" has no port of {}", member.name(), section.name),
               fmt::format("a number from {} to {}", section.first, section.last), diagnostics)
            .found(member.value.is_number() ? member.value.text() : kind_name(member.value));
        return std::nullopt;
    }
    port.number = *number;
    return port;
}

// A match port is unique in its group, a NodePort in its cluster.
std::string scope(const LockedPort& port) {
    return port.kind == LockedKind::NodePort
               ? fmt::format("{}/{}", port.cluster, port.number)
               : fmt::format("{}/{}/{}", port.cluster, port.key.substr(0, port.key.find('/')),
                             port.number);
}

// Refuses a port that two lines assign, for example after a merge of two branches.
void check_repeated(const std::vector<LockedPort>& ports, Diagnostics& diagnostics) {
    std::map<std::string, const LockedPort*> first;
    for (const LockedPort& port : ports) {
        const auto [other, is_new] = first.try_emplace(scope(port), &port);
        if (!is_new) {
            refuse(port.pos, fmt::format("port {} is assigned twice", port.number),
                   "a unique port for every line", diagnostics)
                .hint(fmt::format("remove the newer line, then {}", kHint))
                .note({.pos = other->second->pos, .text = "the other line"});
        }
    }
}

std::string find_lock(const repo::SourceTree& tree, const repo::LoadOptions& options) {
    std::vector<std::string> dirs = options.context_dirs;
    if (!options.stream) {
        dirs.insert(dirs.begin(), options.path);
    }
    for (const std::string& dir : dirs) {
        std::string path = repo::join_path(dir, repo::kLockName);
        if (tree.kind(dir) == repo::EntryKind::Directory &&
            tree.kind(path) != repo::EntryKind::Missing) {
            return path;
        }
    }
    return {};
}

}  // namespace

void load_lock(const repo::SourceTree& tree, const repo::LoadOptions& options, Loaded& loaded,
               Diagnostics& diagnostics) {
    const std::string path = find_lock(tree, options);
    if (path.empty()) {
        return;
    }
    const repo::ConfigFile file =
        repo::read_config(tree, path, kLockFields, repo::kLockName, loaded.sources, diagnostics);
    if (!file.usable) {
        return;
    }
    for (const Section& section : kSections) {
        for (const Member& line : members_of(file.root.find(section.name))) {
            if (std::optional<LockedPort> port = decode_port(section, line, diagnostics)) {
                loaded.locked_ports.push_back(std::move(*port));
            }
        }
    }
    check_repeated(loaded.locked_ports, diagnostics);
}

}  // namespace renderer::load
