// ProxyGroups of type kube-apiserver: what the pods run and whose rights they use, and the
// Tailscale Service under which the tailnet reaches the Kubernetes API. Source: tailscale v1.96.5
// cmd/k8s-operator/{proxygroup,api-server-proxy-pg}.go.
#pragma once

#include <vector>

#include "renderer/plan/group/proxy_group.h"
#include "renderer/plan/proxy_inputs.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

constexpr std::string_view kApiGroupApp = "k8s-operator-proxygroup-kube-apiserver";
constexpr std::string_view kApiHostnameAdvice = "choose one with \"spec.kubeAPIServer.hostname\"";

// Fills in what differs from groups of the other types, in a workload that has its dataplane: pods
// run k8s-proxy, or tailrender-proxy, which serves the API beside a tailscaled.
void fill_api_group(const ProxyGroupInput& input, const Settings& settings, Workload& workload,
                    ProxyGroupPlan& group);

// Reports groups whose account does not exist. `installs`: this run makes all that the chart makes.
void check_api_accounts(const GroupIndex& groups, bool installs, const ProxyInputs& inputs,
                        Diagnostics& diagnostics);

// The Tailscale Services of the groups of this type.
std::vector<OfferedService> plan_api_services(const std::vector<Workload>& groups,
                                              const ProxyInputs& inputs, Diagnostics& diagnostics);

}  // namespace renderer::plan
