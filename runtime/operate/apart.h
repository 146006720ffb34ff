// Finds the proxy of the Kubernetes API if the controller's Deployment names a namespace of its own
// for it (testdata/contract/proxy.md).
#pragma once

#include <string>

#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// Adds its StatefulSet and its pod, and removes those of the same name. `deployments` has been read
// when the job runs. If the server forbids it, `refusal` says so; without a `refusal` the job
// fails.
Job add_apart(kube::Client& kube, const Objects& deployments, Objects& sets, Objects& pods,
              std::string* refusal);

}  // namespace runtime::operate
