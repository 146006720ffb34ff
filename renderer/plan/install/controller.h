// What the controller runs as, the same in every mode: image, arguments, environment, port, probes
// and rules. The generator builds a whole Deployment from it, post-render changes the chart's own.
// The contract with the runtime, with a reason for each rule: testdata/contract/controller.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

constexpr std::string_view kControllerName = "operator";  // of its container
constexpr std::string_view kAuthProxyAccount = "kube-apiserver-auth-proxy";
constexpr std::string_view kAuthProxyClusterRole = "tailscale-auth-proxy";

// How the controller gets its OAuth credentials: first match as in the chart.
enum class Credentials : std::uint8_t { CustomVolume, WorkloadIdentity, Secret };
Credentials credentials_of(const Settings& settings);

Value controller_env(const Settings& settings);

// What users add to the operator's environment for their network (HTTPS_PROXY, SSL_CERT_FILE, …):
// each name once, none of those that tailrender reads or sets. Entries of a container's `env`.
std::vector<const Value*> users_env(const Settings& settings);

Value controller_cluster_rules();
Value controller_rules(const Settings& settings);  // in its own namespace

// The rules in the API proxy's own namespace, for the objects of the API proxy.
Value controller_api_rules();

// apiServerProxyConfig wants the account kube-apiserver-auth-proxy.
bool wants_auth_proxy(const Settings& settings);
// True if `apiServerProxyConfig.mode` asks for a pod that impersonates, and that pod has a
// namespace of its own.
bool serves_api_apart(const Settings& settings);

// "IfNotPresent" for a pinned image, else "Always", unless the settings say.
std::string controller_pull_policy(const Settings& settings);

// Makes a container the controller's: image, pull policy, arguments, environment, port and probes.
// Every other field stays.
void make_controller(Value& container, const Settings& settings);

}  // namespace renderer::plan
