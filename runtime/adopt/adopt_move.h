// Moves one proxy of the operator to its rendered names, as jobs that may have been done before.
//
// In this order a kill at any point leaves a proxy that works or recovers by itself, and never two
// pods with one device:
// 1. The record is written.
// 2. If someone's externalName targets the old Service, that Service also selects the new pod.
// 3. The state is copied to the new name. The new pod is blocked until its auth Secret exists,
// which the controller does not create while the operator's StatefulSet exists.
// 4. The old StatefulSet is deleted in the foreground: when it no longer exists, its pod has ended,
// and the controller (or the next step) lets the new one start.
// 5. What the old pod has written until then is copied, unless the new pod may already run.
// 6. The rest is removed.
#pragma once

#include <string>
#include <vector>

#include "runtime/adopt/adopt_plan.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime::adopt {

Job move_proxy(const operate::OperateContext& context, const AdoptSnapshot& snapshot,
               const Move& move);
Job move_group_service(const operate::OperateContext& context, const GroupService& service);
Job take_over(const operate::OperateContext& context, const AdoptSnapshot& snapshot,
              const Takeover& takeover);

// Moves the operator's own device, after the operator has ended. At worst, a kill leaves the device
// without a pod until the next run.
Job move_own_device(const operate::OperateContext& context, const AdoptSnapshot& snapshot,
                    const OperatorDevice& own);

// Changes Services "namespace/name" that target Service `from` to target Service `to`.
Job redirect(const operate::OperateContext& context, const std::vector<std::string>& services,
             const std::string& from, const std::string& to);

// Waits until the present pod runs with the device in its state Secret. Succeeds at once if there
// is no device in it: the pod then gets a key from the controller.
Job must_join(const operate::OperateContext& context, const std::string& pod);

}  // namespace runtime::adopt
