#include "runtime/base/directory_watch.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace runtime::inline base {

DirectoryWatch::DirectoryWatch(Loop& loop, std::string folder, std::function<void()> changed)
    : loop_(loop), folder_(std::move(folder)), changed_(std::move(changed)) {}

DirectoryWatch::~DirectoryWatch() {
    if (descriptor_ >= 0) {
        loop_.watch(descriptor_, {}, nullptr);
        static_cast<void>(close(descriptor_));
    }
}

renderer::Result<renderer::Unit> DirectoryWatch::start() {
    descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor_ < 0 || inotify_add_watch(descriptor_, folder_.c_str(),
                                             IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR) < 0) {
        return renderer::Error{
            {.rule = "cannot-watch",
             .where = folder_,
             .message = fmt::format("cannot watch \"{}\": {}", folder_, std::strerror(errno))}};
    }
    loop_.watch(descriptor_, {.read = true}, [this](Interest) { drain(); });
    return renderer::Unit{};
}

void DirectoryWatch::drain() {
    char events[4096];
    while (read(descriptor_, events, sizeof events) > 0) {
    }
    changed_();
}

}  // namespace runtime::inline base
