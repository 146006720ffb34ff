// Hears of changes of any rule of the namespace, by anyone, ourselves included.
#pragma once

#include <functional>

#include "renderer/core/result.h"
#include "runtime/base/loop.h"

namespace runtime::nft {

class RuleWatch {
public:
    // The loop outlives it. `changed` also means that some news were lost.
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
