// Whose socket is at the other end of a connection over loopback: the user id that the kernel keeps
// for it. Whoever may reach the pod's loopback could forge a PROXY header; only tailscaled has its
// user id.
// Sources: sock_diag(7); linux net/ipv4/inet_diag.c (a socket without an inode belongs to no one,
// and its user id says nothing).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "renderer/core/result.h"

namespace runtime::api_proxy {

// Of the process behind the other end of a connection that we have accepted. No value: it is not
// over IPv4 loopback, not established, or no process has that end any more.
std::optional<uid_t> owner_of_peer(int accepted);

// Of the process that listens on a Unix socket.
renderer::Result<uid_t> owner_of_listener(const std::string& path);

}  // namespace runtime::api_proxy
