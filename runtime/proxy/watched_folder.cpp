#include "runtime/proxy/watched_folder.h"

#include <utility>

namespace runtime::proxy {

namespace {

constexpr Duration kPeriod = std::chrono::seconds(5);

}  // namespace

WatchedFolder::WatchedFolder(Loop& loop, Log& log, const std::string& folder,
                             std::function<void()> changed)
    : loop_(loop), changed_(std::move(changed)), watch_(loop, folder, changed_) {
    if (auto started = watch_.start(); !started) {
        log.warning(started.error().diagnostic.message + "; checking every 5 seconds instead");
        poll();
    }
}

WatchedFolder::~WatchedFolder() {
    loop_.cancel(timer_);
}

void WatchedFolder::poll() {
    timer_ = loop_.after(kPeriod, [this] {
        poll();
        changed_();
    });
}

}  // namespace runtime::proxy
