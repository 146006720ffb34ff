// What the process does before its loop runs: what it needs of the pod is there, or named.
#pragma once

#include <memory>
#include <string>

#include "renderer/core/result.h"
#include "runtime/base/log.h"
#include "runtime/kube/client.h"
#include "runtime/nft/dataplane.h"
#include "runtime/proxy/config_file.h"
#include "runtime/proxy/environment.h"

namespace runtime {

struct ChosenConfig {
    std::string path = {};  // empty: none is asked for
    TailscaledConfig content = {};
};

// Chooses tailscaled's configuration; for kernel networking also makes /dev/net/tun and switches
// forwarding on, where they are not there yet.
renderer::Result<ChosenConfig> prepare(const Environment& environment, Log& log);

struct InClusterAccess {
    KubeAccess kube;
    std::string ns;
};
renderer::Result<InClusterAccess> kube_access(const Environment& environment);

// The kernel's, or one that forgets everything (TS_TEST_FAKE_NETFILTER).
renderer::Result<std::unique_ptr<nft::Dataplane>> open_dataplane(const Environment& environment);

// Exit code of the exec probe: what the proxy of this pod says.
int ask_ready(const EnvironmentLookup& lookup);

}  // namespace runtime
