// A mounted folder whose files are replaced while the process runs. Reports changes by inotify;
// without inotify, reports a possible change every five seconds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/directory_watch.h"
#include "runtime/base/log.h"

namespace runtime::proxy {

class WatchedFolder {
public:
    // `changed` may be called without a change. Loop and log outlive it.
    WatchedFolder(Loop& loop, Log& log, const std::string& folder, std::function<void()> changed);
    ~WatchedFolder();
    WatchedFolder(const WatchedFolder&) = delete;
    WatchedFolder& operator=(const WatchedFolder&) = delete;

    [[nodiscard]] bool is_polled() const { return timer_ != 0; }

private:
    void poll();

    Loop& loop_;
    std::function<void()> changed_;
    DirectoryWatch watch_;
    TimerId timer_ = 0;
};

}  // namespace runtime::proxy
