// Moves one proxy of the operator to its rendered names, as jobs that may have been done before.
//
// In this order a kill at any point leaves a proxy that works or comes back by itself, and never
// two pods with one device:
// 1. the record; 2. the old Service, if someone's externalName targets it, selects the new pod,
// too; 3. the state, to the new name: the new pod waits for its auth Secret, which the controller
// does not make while the operator's StatefulSet exists; 4. the old StatefulSet goes, in the
// foreground: when it is gone its pod has ended, and the controller (or the next step) lets the new
// one start; 5. what the old pod has written until then, if no one was quicker; 6. what is left.
#pragma once

#include <string>
#include <vector>

#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/context.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

Job move_proxy(const OperateContext& context, const AdoptSnapshot& snapshot, const Move& move);
Job move_group_service(const OperateContext& context, const GroupService& service);
Job take_over(const OperateContext& context, const AdoptSnapshot& snapshot,
              const Takeover& takeover);

// In an order in which a kill leaves the device without a pod at worst: the next run brings it. The
// operator has ended.
Job move_own_device(const OperateContext& context, const AdoptSnapshot& snapshot,
                    const OperatorDevice& own);

// Lets Services "namespace/name" target Service `to` where they targeted `from`.
Job redirect(const OperateContext& context, const std::vector<std::string>& services,
             const std::string& from, const std::string& to);

// The user's objects wait for no one any more: removes the finalizers of the operator that stand
// in it. Null: there are none.
renderer::Value without_finalizers(const renderer::Value& object);

// Looks until the pod that runs now has noted its device in its Secret.
Job must_join(const OperateContext& context, const std::string& pod);

}  // namespace runtime
