// What speaks against a `cleanup`: proxies that run, an adoption that has not come to its end, a
// controller that still works.
#pragma once

#include <string>

#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

// "": nothing does. `force`: although pods of proxies run.
std::string cleanup_objection(const Objects& sets, const Objects& pods, const Objects& secrets,
                              bool force);

// Fails if someone renews the controller's Lease while it looks at it. The holder's clock and ours
// are never compared.
Job controller_must_rest(const OperateContext& context);

}  // namespace runtime
