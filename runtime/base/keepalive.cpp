#include "runtime/base/keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace runtime::inline base {

namespace {

constexpr int kIdleSeconds = 30;
constexpr int kProbeSeconds = 10;
constexpr int kProbes = 3;

void set_option(int descriptor, int level, int name, int value) {
    static_cast<void>(::setsockopt(descriptor, level, name, &value, sizeof value));
}

}  // namespace

void keep_alive(int descriptor) {
    set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

}  // namespace runtime::inline base
