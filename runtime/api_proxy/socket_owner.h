// Finds the user of the socket at the other end of a loopback connection, as the kernel has it.
// Anyone who reaches the pod's loopback could forge a PROXY header, but only tailscaled has its
// user id.
// Sources: sock_diag(7); linux net/ipv4/inet_diag.c (a socket without an inode belongs to no
// process, and its user id has no meaning).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "renderer/core/result.h"

namespace runtime::api_proxy {

// Returns the user of the process at the other end of an accepted connection. No value if the
// connection is not over IPv4 loopback or not established, or if no process has the other end.
std::optional<uid_t> owner_of_peer(int accepted);

// Returns the user of the process that listens on a Unix socket.
renderer::Result<uid_t> owner_of_listener(const std::string& path);

}  // namespace runtime::api_proxy
