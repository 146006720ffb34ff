// `tailrender-runtime status`: whether the controller runs, and the devices of the proxies: as it
// has written them down in `tailrender-devices`, or, where it has not yet, as the state Secrets
// tell; and what StatefulSets and pods say of them now.
#pragma once

#include <functional>
#include <string>

#include "runtime/operate/context.h"

namespace runtime {

enum class StatusForm { Table, Wide, Json };

// `problem`: why nothing could be shown, or "". Shown is the truth of now if the controller runs.
using StatusDone = std::function<void(const std::string& problem, bool controller_runs)>;

void show_status(const OperateContext& context, StatusForm form, StatusDone done);

}  // namespace runtime
