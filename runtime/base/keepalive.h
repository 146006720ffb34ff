// Lets a TCP connection detect within a minute that its other end is dead, even if nothing is sent.
#pragma once

namespace runtime::inline base {

// Sets the options on a connected socket. Options that the kernel refuses are left unchanged.
void keep_alive(int descriptor);

}  // namespace runtime::inline base
