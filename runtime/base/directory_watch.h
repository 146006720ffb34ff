// Reports by inotify that something in a directory was replaced. The kubelet updates a mounted
// ConfigMap by renaming a symbolic link in the volume's root (`..data`).
#pragma once

#include <functional>
#include <string>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"

namespace runtime::inline base {

class DirectoryWatch {
public:
    // `changed` may be called without a change. The loop must outlive the watch.
    DirectoryWatch(Loop& loop, std::string folder, std::function<void()> changed);
    ~DirectoryWatch();
    DirectoryWatch(const DirectoryWatch&) = delete;
    DirectoryWatch& operator=(const DirectoryWatch&) = delete;

    renderer::Result<renderer::Unit> start();

private:
    void drain();

    Loop& loop_;
    std::string folder_;
    std::function<void()> changed_;
    int descriptor_ = -1;
};

}  // namespace runtime::inline base
