#include "runtime/base/local_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace runtime::inline base {

renderer::Descriptor connect_local(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return renderer::Descriptor(-1);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    renderer::Descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (out.get() >= 0 &&
        ::connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        const int code = errno;
        out.close();
        errno = code;
    }
    return out;
}

}  // namespace runtime::inline base
