// Stops and starts the operator that `adopt` replaces.
#pragma once

#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"

namespace runtime::adopt {

// Records how many replicas it has, scales it to 0, and waits until its pods have ended.
Job stop_operator(const operate::OperateContext& context);
// Fails if the operator runs: a GitOps engine may have started it again.
Job operator_must_rest(const operate::OperateContext& context);
// Note the operator's node id, or remove the note. While it is noted, the Tailscale Services that
// the operator owns in the tailnet are the controller's.
Job note_predecessor(const operate::OperateContext& context);
Job forget_predecessor(const operate::OperateContext& context);
// Scales the operator to the recorded number of replicas; does nothing without a record.
Job start_operator(const operate::OperateContext& context);

}  // namespace runtime::adopt
