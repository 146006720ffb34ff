// Finds the proxy of the Kubernetes API in the namespace that the controller's Deployment names for
// it, if it names one (testdata/contract/proxy.md).
#pragma once

#include <string>

#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// Puts the proxy's StatefulSet into `sets` and its pod into `pods`, in place of objects of the same
// name from the controller's namespace. `deployments` must have been read before the job runs. If
// the API server forbids reading that namespace, `refusal` says so; without a `refusal` the job
// fails.
Job add_apart(kube::Client& kube, const Objects& deployments, Objects& sets, Objects& pods,
              std::string* refusal);

}  // namespace runtime::operate
