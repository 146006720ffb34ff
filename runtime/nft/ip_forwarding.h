// Whether the kernel forwards packets between interfaces: what every mode but userspace needs, and
// all that a subnet router needs besides tailscaled (tailscale v1.96.5
// cmd/containerboot/forwarding.go).
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/ip_address.h"

namespace runtime::nft {

struct Families {
    bool v4 = false, v6 = false;
};

// Those of the addresses.
Families families_of(const std::vector<IpAddress>& addresses);

// Switches it on where it is off; `root` is put before /proc ("" for the real one). The error names
// the sysctl and who has to set it (an init container that may write /proc/sys).
renderer::Result<renderer::Unit> enable_forwarding(const std::string& root, Families families);

// Whether IPv6 is there at all: /proc/sys/net/ipv6 exists and is not disabled.
bool has_ipv6(const std::string& root);

}  // namespace runtime::nft
