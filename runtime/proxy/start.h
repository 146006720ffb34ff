// Prepares the pod before the event loop runs, or reports what it lacks.
#pragma once

#include <memory>
#include <string>

#include "renderer/core/result.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"
#include "runtime/nft/dataplane.h"
#include "runtime/proxy/config_file.h"
#include "runtime/proxy/environment.h"

namespace runtime::proxy {

struct ChosenConfig {
    std::string path = {};  // empty: no configuration is requested
    TailscaledConfig content = {};
};

// Chooses tailscaled's configuration. For kernel networking, also creates /dev/net/tun and enables
// IP forwarding if they are missing.
renderer::Result<ChosenConfig> prepare(const Environment& environment, Log& log);

struct InClusterAccess {
    kube::KubeAccess kube;
    std::string ns;
};
renderer::Result<InClusterAccess> kube_access(const Environment& environment);

// Opens the kernel's dataplane, or one that forgets everything (TS_TEST_FAKE_NETFILTER).
renderer::Result<std::unique_ptr<nft::Dataplane>> open_dataplane(const Environment& environment);

// Returns the exit code of the exec probe: 0 if the proxy of this pod reports that it is ready.
int ask_ready(const EnvironmentLookup& lookup);

}  // namespace runtime::proxy
