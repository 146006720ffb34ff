// The context of every verb that people run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/loop.h"
#include "runtime/kube/client.h"

namespace runtime::operate {

struct OperateContext {
    Loop& loop;
    kube::Client& kube;
    std::string ns;  // of the operator and the controller
    std::function<void(const std::string& line)> say;
    Duration patience = std::chrono::minutes(5);  // for one pod to end, or to start
};

// Returns the path of the Secret of this name in that namespace.
inline std::string secret_path(const OperateContext& context, std::string_view name) {
    return kube::path_of(kube::kSecrets, context.ns, name);
}

}  // namespace runtime::operate
