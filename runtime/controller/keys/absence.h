// Jobs that fail while an object exists. They read from the API server, right before something is
// deleted for a replica that is no longer wanted.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/jobs.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// Names a replica, and the namespaces that it may be in.
struct Whereabouts {
    std::vector<std::string> namespaces;
    std::string set, pod;
    int ordinal = 0;
};

// Fails with `otherwise` while the object exists. The client outlives this job and the next.
Job must_be_absent(kube::Client& kube, const std::string& path, const std::string& otherwise);
// Fails while the pod exists, or a StatefulSet that is large enough to have it.
Job replica_must_be_absent(kube::Client& kube, const Whereabouts& replica);

}  // namespace runtime::controller
