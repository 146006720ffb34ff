// Connects to who listens at a path (unix(7)).
#pragma once

#include <string>

#include "renderer/base/descriptor.h"

namespace runtime {

// -1: no one does; errno says why. It waits only while more than the listener allows are waiting;
// `flags` of SOCK_NONBLOCK: not even then.
renderer::Descriptor connect_local(const std::string& path, int flags = 0);

}  // namespace runtime
