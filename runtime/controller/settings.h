// The controller's settings from its environment: testdata/contract/controller.md.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "renderer/core/result.h"
#include "runtime/base/log.h"
#include "runtime/controller/controller.h"
#include "runtime/kube/client.h"

namespace runtime::controller {

// Returns a variable's value; no value if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

struct ProcessSettings {
    kube::KubeAccess kube;
    ControllerSettings controller;
    std::string identity;  // of this instance, for the Lease
    Log::Form log_form = Log::Form::Json;
    LogLevel log_level = LogLevel::Info;
    std::string unknown_logging = {};  // OPERATOR_LOGGING, if its value is unknown
};

// The API server and the account that Kubernetes gives every pod.
renderer::Result<kube::KubeAccess> pod_access(const Environment& environment);

inline constexpr std::string_view kTailscaleLoginServer = "https://controlplane.tailscale.com";

// Where an API is, without credentials: below the login server; "" is Tailscale's own, whose API is
// at another place.
renderer::Result<tailnet::TailnetSettings> tailnet_at(const std::string& login_server,
                                                      const Environment& environment);
renderer::Result<tailnet::Credentials> read_credentials(const Environment& environment);

renderer::Result<ProcessSettings> read_settings(const Environment& environment);

}  // namespace runtime::controller
