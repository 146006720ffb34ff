// Reasons to refuse a `cleanup`: proxies that run, an adoption that is not complete, a controller
// that still runs.
#pragma once

#include <string>

#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// Returns the reason, or "". With `force`, pods of proxies may run.
std::string cleanup_objection(const Objects& sets, const Objects& pods, const Objects& secrets,
                              bool force);

// Fails if the controller's Lease is renewed while it is watched. The holder's clock and ours are
// never compared.
Job controller_must_rest(const OperateContext& context);

}  // namespace runtime::operate
