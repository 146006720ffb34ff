// Connects to a Unix socket (unix(7)).
#pragma once

#include <string>

#include "renderer/base/descriptor.h"

namespace runtime::inline base {

// Returns a non-blocking descriptor, or one of -1 if the connection failed; errno has the reason.
// It never blocks: EAGAIN means that the backlog of the listener is full.
renderer::Descriptor connect_local(const std::string& path);

}  // namespace runtime::inline base
