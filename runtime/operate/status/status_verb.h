// `tailrender-runtime status`: shows whether the controller runs, and the devices of the proxies.
// They are read from `tailrender-devices`, or from the state Secrets if the controller has not
// written it yet, and combined with the present StatefulSets and pods.
#pragma once

#include <functional>
#include <string>

#include "runtime/operate/context.h"

namespace runtime::operate {

enum class StatusForm { Table, Wide, Json };

// `problem` is why nothing could be shown, or "". The output is current only if the controller
// runs.
using StatusDone = std::function<void(const std::string& problem, bool controller_runs)>;

void show_status(const OperateContext& context, StatusForm form, StatusDone done);

}  // namespace runtime::operate
