// The operator and the controller that replaces it: a Deployment of its chart (tailscale v1.104.5),
// which is called `operator` unless the chart's values name it. The rendered controller is the same
// Deployment, so applying it also stops the operator.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/controller/keys/tailnet_identity.h"

namespace runtime::operate {

// Return the name of the operator's own state Secret, by default that of the Deployment, and the
// node id in it, or "".
std::string state_of_operator(const renderer::Value& deployment);
std::string device_of_operator(const renderer::Value& deployment,
                               const std::vector<renderer::Value>& secrets);
// Replaced: the Deployment is the rendered controller's now.
enum class OperatorState { Runs, Stopped, Replaced, Absent };
OperatorState operator_state(const renderer::Value& deployment);
// Returns a sentence, such as "the operator runs".
std::string describe_operator(const renderer::Value& deployment);

// Returns the number of replicas in its spec; the default is 1.
std::int64_t replicas_of(const renderer::Value& deployment);
// True if the pod has all labels of a selector's matchLabels.
bool is_pod_of(const renderer::Value& pod, const renderer::Value& selector);
// True if the pod runs the operator. The rendered controller has the same selector, and may still
// have variables of the operator that server-side apply has left.
bool runs_operator(const renderer::Value& pod);
// Returns the pods that its selector matches and that are not being deleted.
std::vector<const renderer::Value*> pods_of(const renderer::Value& deployment,
                                            const std::vector<renderer::Value>& pods);

// Returns a message if the namespace is the wrong one: it has neither the operator, nor the
// controller, nor a rendered proxy, nor a Secret of the controller or of `adopt`. Else returns "".
std::string missing_installation(const std::string& ns,
                                 const std::vector<renderer::Value>& deployments,
                                 const std::vector<renderer::Value>& sets,
                                 const std::vector<renderer::Value>& secrets);

// Returns the operator's Deployment, else the controller's, else the one called `operator`; else
// null.
renderer::Value find_operator(const std::vector<renderer::Value>& deployments);
// Like find_operator, but prefers the controller's Deployment.
renderer::Value find_controller(const std::vector<renderer::Value>& deployments);
// Returns the ServiceAccount of the operator or controller; fails if the Deployment names none.
controller::OwnAccount account_of(const renderer::Value& deployment, std::string ns);
// Returns the Secret with the credentials of the operator or controller; the default is the chart's
// name.
std::string oauth_secret_of(const renderer::Value& deployment);
// Returns the login server of the operator or controller; "" is Tailscale's own. Fails if it cannot
// be known: credentials must not be sent to a guessed server.
renderer::Result<std::string> login_server_of(const renderer::Value& deployment);
// Returns the API proxy's own namespace; "": it has none.
std::string api_namespace_of(const renderer::Value& deployment);

}  // namespace runtime::operate
