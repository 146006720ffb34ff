// Checks the network addresses of hosts that an untrusted tree names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace renderer::repo {

// Hosts that the user allows, in lower case; empty: any public host.
using HostList = std::vector<std::string>;

// Ignores the case of the name.
bool lists_host(const HostList& hosts, std::string_view host);

// False for addresses of this machine, of a link or of a private network, for multicast and
// broadcast, and for reserved ones. Source:
// https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry.
bool is_public(const sockaddr& address);

// Returns "169.254.169.254", "fe80::1".
std::string text_of_address(const sockaddr& address);

// True for "localhost" and addresses of this machine in their usual spelling. Programs do not use a
// proxy for these.
bool is_own_machine(std::string_view host);

}  // namespace renderer::repo
