// Makes a TCP connection notice within a minute that its other end is gone, though nothing is sent.
#pragma once

namespace runtime {

// Of a connected socket. What the kernel refuses stays as it is.
void keep_alive(int descriptor);

}  // namespace runtime
