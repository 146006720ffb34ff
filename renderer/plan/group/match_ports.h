// Match ports: which port of an egress group's pods receives which port of which target. A match
// port is in the operator's range and derived from its key, so that the same inputs give the same
// ports. If two keys have the same port, the later in order gets the next free one. A lock pins
// ports, so that the ports of one Service never depend on another. Source of the range: tailscale
// v1.96.5 cmd/k8s-operator/egress-services.go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/load/loaded.h"
#include "renderer/plan/group/proxy_group_plan.h"

namespace renderer::plan {

constexpr std::int64_t kFirstMatchPort = load::kFirstLockedPort;
constexpr std::int64_t kMatchPorts = load::kLastLockedPort - load::kFirstLockedPort + 1;
// The operator also counts the health port.
constexpr std::size_t kMaxGroupPorts = 999;

using PortPins = std::map<std::string, std::int64_t, std::less<>>;

// Returns "group/namespace/name/port/TCP".
std::string port_key(std::string_view group, std::string_view ns, std::string_view name,
                     const GroupPort& port);

// Returns the ports of one group's keys, in the order of the keys. Pins of other keys do not count;
// if two pins are equal, the first key gets the port. Returns nothing if the range is too small.
std::vector<std::int64_t> allocate_ports(const std::vector<std::string>& keys,
                                         const PortPins& pins);

}  // namespace renderer::plan
