// `tailrender-runtime status`: the devices of the proxies, as the controller has written them down
// in `tailrender-devices`, or, where it has not yet, as the state Secrets tell.
#pragma once

#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"

namespace runtime {

enum class StatusForm { Table, Json };

void show_status(const OperateContext& context, StatusForm form, Next done);

}  // namespace runtime
