// Which tracked connections no longer go where the rules send new ones. NAT is decided by the first
// packet of a connection; what follows goes the same way as long as packets come, which for UDP may
// be for ever, to an address that is not a target any more, or to none since the rules were not
// there yet. Pure; flow_table.cpp asks the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/nft/forwarding.h"

namespace runtime::nft {

// A tracked connection as its first packet saw it, and where that was sent (the source of the
// replies).
struct Flow {
    std::uint8_t protocol = 0;
    IpAddress from, to, sent_to;
    std::uint16_t to_port = 0, sent_to_port = 0;  // 0 for protocols without
    bool established = false;                     // TCP, and both sides have been heard
};

class StaleFlows {
public:
    // `local`: addresses of the pod's interfaces, which what arrives from the cluster is for.
    StaleFlows(const Forwarding& forwarding, std::vector<IpAddress> local);

    // An established TCP connection never is: it survives a change of targets.
    [[nodiscard]] bool contains(const Flow& flow) const;

private:
    using Target = std::pair<IpAddress, std::uint16_t>;  // port 0: any
    std::vector<IpAddress> own_, local_;
    std::map<IpAddress, std::vector<Target>> by_address_;
    std::map<std::pair<std::uint8_t, std::uint16_t>, std::vector<Target>>
        by_port_;  // of both families
    std::vector<Target> otherwise_;
};

}  // namespace runtime::nft
