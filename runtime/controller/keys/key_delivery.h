// Delivers the key of a pod that is in the API proxy's own namespace. The controller may create no
// Secret there, because one of type kubernetes.io/service-account-token would get the token of the
// account that impersonates. So the auth Secret is in the controller's namespace, as for every
// proxy, and its data are copied into a Secret that is rendered.
#pragma once

#include <string>
#include <string_view>

#include "runtime/controller/keys/state_secrets.h"

namespace runtime::controller {

struct Delivery {
    std::string from_ns, to_ns;
    std::string name;  // of both Secrets
};

// Returns the problem that a Secret is missing that is rendered for a pod that is apart.
std::string not_rendered(std::string_view ns, std::string_view secret);

// Fails if the Secret that the key would be delivered to does not exist.
Job must_be_rendered(kube::Client& kube, const std::string& ns, const std::string& secret);

// Reads the key from the auth Secret, and keeps no copy of it. The client outlives the job.
Job deliver_key(kube::Client& kube, const Delivery& delivery, const Written& written);

}  // namespace runtime::controller
