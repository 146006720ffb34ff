// Enables IP forwarding between interfaces. Every mode but userspace needs it, and a subnet router
// needs nothing else besides tailscaled (tailscale v1.96.5 cmd/containerboot/forwarding.go).
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/ip_address.h"

namespace runtime::nft {

struct Families {
    bool v4 = false, v6 = false;
};

// Returns the families of the addresses.
Families families_of(const std::vector<IpAddress>& addresses);

// Enables forwarding for the families if it is disabled. `root` is a prefix of /proc ("" for the
// real one). The error names the sysctl and who has to set it (an init container that may write
// /proc/sys).
renderer::Result<renderer::Unit> enable_forwarding(const std::string& root, Families families);

// True if the kernel has IPv6: /proc/sys/net/ipv6 exists and IPv6 is not disabled.
bool has_ipv6(const std::string& root);

}  // namespace runtime::nft
