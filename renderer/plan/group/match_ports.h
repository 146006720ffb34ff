// Which port of an egress group's pods stands for which port of which target: in the operator's
// range, made of what it is for, so that the same inputs give the same ports. Two that would get
// the same one: the later in order takes the next free one. A lock pins ports, so that the ports of
// one Service never depend on another. Source of the range: tailscale v1.96.5
// cmd/k8s-operator/egress-services.go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/load/loaded.h"
#include "renderer/plan/group/proxy_group_plan.h"

namespace renderer {

constexpr std::int64_t kFirstMatchPort = kFirstLockedPort;
constexpr std::int64_t kMatchPorts = kLastLockedPort - kFirstLockedPort + 1;
// The reference counts the health port in.
constexpr std::size_t kMaxGroupPorts = 999;

using PortPins = std::map<std::string, std::int64_t, std::less<>>;

// "group/namespace/name/port/TCP"
std::string port_key(std::string_view group, std::string_view ns, std::string_view name,
                     const GroupPort& port);

// The ports of one group's keys, in their order; pins of other keys do not count, and of two equal
// pins the first key has it. Empty when the range is too small for them.
std::vector<std::int64_t> allocate_ports(const std::vector<std::string>& keys,
                                         const PortPins& pins);

}  // namespace renderer
