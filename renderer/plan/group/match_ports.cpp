#include "renderer/plan/group/match_ports.h"

#include <fmt/format.h>

#include "renderer/base/sha256.h"

namespace renderer::plan {

namespace {

std::size_t home(std::string_view key) {
    std::uint64_t rest = 0;
    for (const std::uint8_t byte : sha256(key)) {
        rest = (rest << 8U | byte) % static_cast<std::uint64_t>(kMatchPorts);
    }
    return static_cast<std::size_t>(rest);
}

}  // namespace

std::string port_key(std::string_view group, std::string_view ns, std::string_view name,
                     const GroupPort& port) {
    return fmt::format("{}/{}/{}/{}/{}", group, ns, name, port.port, port.protocol);
}

std::vector<std::int64_t> allocate_ports(const std::vector<std::string>& keys,
                                         const PortPins& pins) {
    if (keys.size() > kMaxGroupPorts) {
        return {};
    }
    std::vector<bool> taken(static_cast<std::size_t>(kMatchPorts));
    std::vector<std::int64_t> ports(keys.size());
    const auto take = [&](std::size_t index, std::size_t slot) {
        taken[slot] = true;
        ports[index] = kFirstMatchPort + static_cast<std::int64_t>(slot);
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto pin = pins.find(keys[i]);
        const std::int64_t slot = pin == pins.end() ? -1 : pin->second - kFirstMatchPort;
        if (slot >= 0 && slot < kMatchPorts && !taken[static_cast<std::size_t>(slot)]) {
            take(i, static_cast<std::size_t>(slot));
        }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t slot = ports[i] == 0 ? home(keys[i]) : 0;
        while (ports[i] == 0 && taken[slot]) {
            slot = (slot + 1) % taken.size();
        }
        if (ports[i] == 0) {
            take(i, slot);
        }
    }
    return ports;
}

}  // namespace renderer::plan
