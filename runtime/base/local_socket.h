// Connects to a Unix socket (unix(7)).
#pragma once

#include <string>

#include "renderer/base/descriptor.h"

namespace runtime {

// Returns a descriptor of -1 if the connection failed; errno has the reason. It blocks only while
// the backlog of the listener is full, and never if `flags` contains SOCK_NONBLOCK.
renderer::Descriptor connect_local(const std::string& path, int flags = 0);

}  // namespace runtime
