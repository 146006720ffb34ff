// Finds the tracked connections that no longer go where the rules send new ones. NAT is decided by
// the first packet of a connection, and later packets follow it as long as packets arrive. For UDP
// that may be forever, to an address that is no longer a target, or to none because the rules did
// not exist yet. Pure; flow_table.cpp reads the kernel's table.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// A tracked connection: addresses and ports of its first packet, and where that was sent (the
// source of the replies).
struct Flow {
    std::uint8_t protocol = 0;
    IpAddress from, to, sent_to;
    std::uint16_t to_port = 0, sent_to_port = 0;  // 0 for protocols without ports
    bool established = false;                     // TCP, and both sides have sent packets
};

class StaleFlows {
public:
    // `local` has the addresses of the pod's interfaces, which traffic from the cluster is
    // addressed to.
    StaleFlows(const Forwarding& forwarding, std::vector<IpAddress> local);

    // True if the connection is stale. An established TCP connection never is: it survives a change
    // of targets.
    [[nodiscard]] bool contains(const Flow& flow) const;

private:
    using Target = std::pair<IpAddress, std::uint16_t>;  // port 0: any
    std::vector<IpAddress> own_, local_;
    std::map<IpAddress, std::vector<Target>> by_address_;
    std::map<std::pair<std::uint8_t, std::uint16_t>, std::vector<Target>>
        by_port_;  // for both families
    std::vector<Target> otherwise_;
};

}  // namespace runtime::nft
