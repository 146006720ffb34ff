// A Recorder's objects: StatefulSet, ServiceAccount, Role, RoleBinding. State and auth key Secrets
// belong to the runtime. Shapes: tailscale v1.96.5 cmd/k8s-operator/tsrecorder_specs.go.
#pragma once

#include "renderer/generate/generate.h"

namespace renderer {

void generate_recorder(const Workload& workload, const RecorderPlan& recorder, Objects& objects);

}  // namespace renderer
