// What every verb that people run works with.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/loop.h"
#include "runtime/kube/client.h"

namespace runtime {

struct OperateContext {
    Loop& loop;
    KubeClient& kube;
    std::string ns;  // the operator's and the controller's
    std::function<void(const std::string& line)> say;
    Duration patience = std::chrono::minutes(5);  // for one pod to end, and to come back
};

}  // namespace runtime
