// Ports that tailrender.lock.yaml pins.
#pragma once

#include <cstdint>
#include <string>

#include "renderer/core/pos.h"

namespace renderer::load {

enum class LockedKind : std::uint8_t { EgressPort, NodePort };

// A line of tailrender.lock.yaml.
struct LockedPort {
    LockedKind kind = LockedKind::EgressPort;
    std::string cluster;  // "" if no file names clusters
    std::string key;      // group/namespace/name/port/protocol, or group/ordinal
    std::int64_t number = 0;
    Pos pos;
};

// The range of the match ports of an egress group.
constexpr std::int64_t kFirstLockedPort = 10000;
constexpr std::int64_t kLastLockedPort = 10999;

}  // namespace renderer::load
