// Finds the API server for the verbs that people run: from a kubeconfig, as kubectl does, or from
// the account of the pod. Rare settings of a kubeconfig are refused, with a hint to what always
// works: --server and `kubectl proxy`.
// Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "runtime/controller/settings.h"
#include "runtime/kube/client.h"

namespace runtime::operate {

struct AccessFlags {
    std::string kubeconfig = {}, context = {}, server = {};
};

// Uses the first of: --server, --kubeconfig, $KUBECONFIG, ~/.kube/config if it exists, the pod's
// account.
renderer::Result<kube::KubeAccess> find_access(const AccessFlags& flags,
                                               const controller::Environment& environment);

// Relative files are relative to the folder of `path`, and messages name `path`. An empty `context`
// is the current one.
renderer::Result<kube::KubeAccess> read_kubeconfig(const std::string& path, std::string text,
                                                   const std::string& context);

}  // namespace runtime::operate
