// Where in the network a host may be that a stranger's tree names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace renderer {

// Hosts as the user lists them, in lower case; none: any that is public.
using HostList = std::vector<std::string>;

// Names do not care about case.
bool lists_host(const HostList& hosts, std::string_view host);

// No address of this machine, of a link or of a private network, and none of many hosts. Source:
// https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry.
bool is_public(const sockaddr& address);

// "169.254.169.254", "fe80::1"
std::string text_of_address(const sockaddr& address);

// "localhost", or an address of this machine as it is usually spelled. What such a name stands for
// programs ask no proxy for.
bool is_own_machine(std::string_view host);

}  // namespace renderer
