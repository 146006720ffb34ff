// Reports changes of any rule in the namespace, by any program including this one.
#pragma once

#include <functional>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"

namespace runtime::nft {

class RuleWatch {
public:
    // `changed` is also called when notifications were lost. The loop must outlive the watch.
    RuleWatch(Loop& loop, std::function<void()> changed);
    ~RuleWatch();
    RuleWatch(const RuleWatch&) = delete;
    RuleWatch& operator=(const RuleWatch&) = delete;

    renderer::Result<renderer::Unit> start();

private:
    void drain();

    Loop& loop_;
    std::function<void()> changed_;
    int socket_ = -1;
};

}  // namespace runtime::nft
