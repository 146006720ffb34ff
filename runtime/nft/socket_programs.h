// Programs of the node that choose where a pod's sockets connect to, before there is a packet.
// Cilium's balance connections to Services so, and then no longer the packets, which is all that
// this pod has of a connection that it forwards. Sources: bpf(2); Linux kernel/bpf/cgroup.c;
// Cilium documentation, "Socket LoadBalancer Bypass in Pod Namespace".
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::nft {

// Names of those that are in effect for IPv4 in the cgroup (version 2) with that path, its own and
// its parents'; the kernel keeps 15 bytes of a name, and tells it to who may do everything. Else ""
// is in its place. An error: it may not be asked for, or there is no such cgroup.
renderer::Result<std::vector<std::string>> connect_programs(const std::string& cgroup);

// The path of this process's cgroup (version 2).
std::string own_cgroup();

// What is to be said of them; empty without any.
std::string warning_of(const std::vector<std::string>& programs);

}  // namespace runtime::nft
