#include "renderer/base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace renderer::inline base {

Descriptor::Descriptor(const std::string& path, int flags)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

Descriptor::~Descriptor() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

bool Descriptor::close() {
    return ::close(std::exchange(fd_, -1)) == 0;
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return true;
}

bool read_all(int fd, std::string& text) {
    char buffer[65536];
    for (;;) {
        const ssize_t count = ::read(fd, buffer, sizeof buffer);
        if (count == 0) {
            return true;
        }
        if (count < 0 && errno != EINTR) {
            return false;
        }
        text.append(buffer, count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

}  // namespace renderer::inline base
