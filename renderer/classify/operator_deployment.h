// Reads the env and pod of the operator's Deployment back as values of the chart. Source: tailscale
// v1.104.5 cmd/k8s-operator/operator.go and deploy/chart/templates/deployment.yaml.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "renderer/contract/environment.h"
#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/kube/operator_container.h"

namespace renderer::classify {

// A variable that the chart sets from one of its values.
struct OperatorEnv {
    std::string_view name;
    std::string_view group;  // "" = a top-level value
    std::string_view key;
};

inline constexpr std::array kOperatorEnv = {
    OperatorEnv{"OPERATOR_INITIAL_TAGS", "operatorConfig", "defaultTags"},
    OperatorEnv{"OPERATOR_HOSTNAME", "operatorConfig", "hostname"},
    OperatorEnv{"OPERATOR_LOGGING", "operatorConfig", "logging"},
    OperatorEnv{"OPERATOR_LOGIN_SERVER", "", "loginServer"},
    OperatorEnv{"OPERATOR_INGRESS_CLASS_NAME", "ingressClass", "name"},
    OperatorEnv{"CLIENT_ID", "oauth", "clientId"},
    OperatorEnv{"PROXY_TAGS", "proxyConfig", "defaultTags"},
    OperatorEnv{"APISERVER_PROXY", "apiServerProxyConfig", "mode"},
    OperatorEnv{"PROXY_FIREWALL_MODE", "proxyConfig", "firewallMode"},
    OperatorEnv{"OPERATOR_SHARED_ACME_ACCOUNT_KEY", "operatorConfig", "sharedACMEAccountKey"},
    OperatorEnv{"PROXY_DEFAULT_CLASS", "proxyConfig", "defaultProxyClass"},
};

// Variables that the chart sets, but not from one value of its own.
inline constexpr std::array<std::string_view, 8> kFixedOperatorEnv = {
    "OPERATOR_SECRET",  "OPERATOR_NAMESPACE", "OPERATOR_SERVICE_ACCOUNT_NAME",
    "CLIENT_ID_FILE",   "CLIENT_SECRET_FILE", "PROXY_IMAGE",
    variable::kPodName, variable::kPodUid};

// True for every variable that the chart itself may set. The others are `extraEnv`.
bool is_operator_env(std::string_view name);

// The names of the chart's objects. Those of the proxies' accounts never change. Source: tailscale
// v1.104.5 cmd/k8s-operator/deploy/chart/templates/_helpers.tpl.
struct OperatorNames {
    std::string name = "operator";               // Deployment, account, Role, RoleBinding
    std::string cluster = "tailscale-operator";  // ClusterRole, ClusterRoleBinding
    std::string oauth_secret = "operator-oauth";
};

// Returns the names for a `fullnameOverride`; "" gives the chart's defaults.
OperatorNames operator_names(std::string_view fullname);

// Returns chart values that would give this Deployment. A variable that is set from elsewhere in
// the cluster (`valueFrom`) is an error, since it is not known offline.
Value operator_values(const Value& deployment, std::string_view object, Diagnostics& diagnostics);

}  // namespace renderer::classify
