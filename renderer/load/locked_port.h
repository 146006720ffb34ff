// Ports that tailrender.lock.yaml keeps.
#pragma once

#include <cstdint>
#include <string>

#include "renderer/core/pos.h"

namespace renderer {

enum class LockedKind : std::uint8_t { EgressPort, NodePort };

// A line of tailrender.lock.yaml.
struct LockedPort {
    LockedKind kind = LockedKind::EgressPort;
    std::string cluster;  // "" where no file names clusters
    std::string key;      // group/namespace/name/port/protocol, or group/ordinal
    std::int64_t number = 0;
    Pos pos;
};

// The ports that an egress group gives out.
constexpr std::int64_t kFirstLockedPort = 10000;
constexpr std::int64_t kLastLockedPort = 10999;

}  // namespace renderer
