// Finds eBPF programs of the node that choose where the sockets of a pod connect to, before any
// packet is sent. Cilium uses such programs to balance connections to Services. It then does not
// balance packets, but packets are all that this pod sees of a connection that it forwards.
// Sources: bpf(2); Linux kernel/bpf/cgroup.c; Cilium documentation, "Socket LoadBalancer Bypass in
// Pod Namespace".
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::nft {

// Returns the names of the programs that are in effect for IPv4 in the cgroup (version 2) at this
// path: its own and those of its parents. The kernel keeps 15 bytes of a name. A name is "" if the
// process is not privileged to read it. Fails if the process may not query the programs, or if the
// cgroup does not exist.
renderer::Result<std::vector<std::string>> connect_programs(const std::string& cgroup);

// Returns the path of this process's cgroup (version 2).
std::string own_cgroup();

// Returns the warning about the programs, or "" if there are none.
std::string warning_of(const std::vector<std::string>& programs);

}  // namespace runtime::nft
