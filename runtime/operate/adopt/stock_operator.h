// The operator that `adopt` replaces: a Deployment of its chart (tailscale v1.104.5), which is
// called `operator` unless the chart's values name it. The rendered controller has the same
// Deployment, so applying it stops the operator as well.
#pragma once

#include <string>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/base/jobs.h"
#include "runtime/controller/keys/tailnet_identity.h"
#include "runtime/operate/context.h"

namespace runtime {

// Writes down how many replicas it has, then lets it have none, and waits until its pods have
// ended.
Job stop_operator(const OperateContext& context);
// A problem if it runs: whoever keeps the cluster as its repository says may have started it again.
Job operator_must_rest(const OperateContext& context);
// The state of its own device: a Secret with the name of the Deployment, whose node id it has;
// empty: it has none.
std::string state_of_operator(const renderer::Value& deployment);
std::string device_of_operator(const renderer::Value& deployment,
                               const std::vector<renderer::Value>& secrets);
// What it owns in the tailnet, by its node id, is the controller's from now on, or not any more.
Job note_predecessor(const OperateContext& context);
Job forget_predecessor(const OperateContext& context);
// As many replicas as were written down; none were: nothing happens.
Job start_operator(const OperateContext& context);

// Replaced by the rendered controller, which has the same Deployment.
enum class OperatorState { Runs, Stopped, Replaced, Absent };
OperatorState operator_state(const renderer::Value& deployment);
// A sentence: "the operator runs".
std::string describe_operator(const renderer::Value& deployment);

// How many it shall have.
std::int64_t replicas_of(const renderer::Value& deployment);
// Those that its selector finds and that are not being deleted.
std::vector<const renderer::Value*> pods_of(const renderer::Value& deployment,
                                            const std::vector<renderer::Value>& pods);

// "" or that a namespace is the wrong one: it has neither the operator, nor the controller, nor a
// rendered proxy, nor a Secret of the controller's or of `adopt`.
std::string missing_installation(const std::string& ns,
                                 const std::vector<renderer::Value>& deployments,
                                 const std::vector<renderer::Value>& sets,
                                 const std::vector<renderer::Value>& secrets);

// The operator's, else the controller's, else the one called `operator`. Null: none of them.
renderer::Value find_operator(const std::vector<renderer::Value>& deployments);
// The controller's first.
renderer::Value find_controller(const std::vector<renderer::Value>& deployments);
// The account that either runs as; an error: the Deployment does not say.
OwnAccount account_of(const renderer::Value& deployment, std::string ns);
// Where the credentials of either come from, by the name that the chart gives the Secret.
std::string oauth_secret_of(const renderer::Value& deployment);
// The login server of its tailnet, the operator's or the controller's; "" is Tailscale's own. It
// is an error when that cannot be known: credentials must not go to a server that was guessed.
renderer::Result<std::string> login_server_of(const renderer::Value& deployment);

}  // namespace runtime
