// How a person's verb reaches the API server: as kubectl does, by a kubeconfig, or by the account
// of the pod that it runs in. What is rare is refused with the remedy that always works: --server
// and `kubectl proxy`. Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "runtime/controller/settings.h"
#include "runtime/kube/client.h"

namespace runtime {

struct AccessFlags {
    std::string kubeconfig = {}, context = {}, server = {};
};

// First of: --server, --kubeconfig, $KUBECONFIG, ~/.kube/config if it exists, the pod's account.
renderer::Result<KubeAccess> find_access(const AccessFlags& flags, const Environment& environment);

// `path` is what relative files in it are relative to, and what messages name. No context: the
// current one.
renderer::Result<KubeAccess> read_kubeconfig(const std::string& path, std::string text,
                                             const std::string& context);

}  // namespace runtime
