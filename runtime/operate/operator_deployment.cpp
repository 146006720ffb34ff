#include "runtime/operate/operator_deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/contract/labels.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/operator_container.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/settings.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::items_of;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kController = "controller";  // our role, the first argument

// Returns the container whose first argument is our role; nullptr if this is not the controller's
// Deployment.
const Value* controller_container(const Value& deployment) {
    for (const Value& container :
         items_of(deployment.at({"spec", "template", "spec", "containers"}))) {
        const auto args = items_of(container.find("args"));
        // A Deployment of another name could be someone else's controller.
        if (!args.empty() && text_of(args[0]) == kController &&
            (name_of(deployment) == kOperator ||
             renderer::find_env(container, "OPERATOR_NAMESPACE") != nullptr)) {
            return &container;
        }
    }
    return nullptr;
}

bool is_operator(const Value& deployment) {
    return renderer::operator_container(deployment) != nullptr;
}

bool is_controller(const Value& deployment) {
    return controller_container(deployment) != nullptr;
}

bool has_default_name(const Value& deployment) {
    return name_of(deployment) == kOperator;
}

using Test = bool (*)(const Value& deployment);

Value find_first(const std::vector<Value>& deployments, std::initializer_list<Test> tests) {
    for (const Test test : tests) {
        const auto found = std::find_if(deployments.begin(), deployments.end(), test);
        if (found != deployments.end()) {
            return found->clone();
        }
    }
    return {};
}

// Returns the entry in the `env` of a container; nullptr if no container has it.
const Value* find_variable(const Value& deployment, std::string_view name) {
    for (const Value& container :
         items_of(deployment.at({"spec", "template", "spec", "containers"}))) {
        if (const Value* variable = renderer::find_env(container, name)) {
            return variable;
        }
    }
    return nullptr;
}

renderer::Error unknown_login_server(std::string message) {
    return {renderer::Diagnostic{.rule = "unknown-login-server",
                                 .where = "--login-server",
                                 .message = std::move(message),
                                 .hint = fmt::format("use --login-server URL ({} is Tailscale's)",
                                                     controller::kTailscaleLoginServer)}};
}

}  // namespace

std::int64_t replicas_of(const Value& deployment) {
    const Value* replicas = deployment.at({"spec", "replicas"});
    return replicas == nullptr ? 1 : replicas->as_int().value_or(1);
}

bool is_pod_of(const Value& pod, const Value& selector) {
    return std::all_of(selector.members().begin(), selector.members().end(),
                       [&pod](const renderer::Member& wanted) {
                           const Value* found = pod.at({"metadata", "labels", wanted.name()});
                           return found != nullptr && *found == wanted.value;
                       });
}

bool runs_operator(const Value& pod) {
    const Value deployment = Value::map({{"spec", Value::map({{"template", pod.clone()}})}});
    return is_operator(deployment) && !is_controller(deployment);
}

std::vector<const Value*> pods_of(const Value& deployment, const std::vector<Value>& pods) {
    const Value* selector = deployment.at({"spec", "selector", "matchLabels"});
    std::vector<const Value*> out;
    for (const Value& pod : pods) {
        if (selector != nullptr && is_pod_of(pod, *selector) &&
            pod.at({"metadata", "deletionTimestamp"}) == nullptr) {
            out.push_back(&pod);
        }
    }
    return out;
}

OperatorState operator_state(const Value& deployment) {
    if (deployment.is_null()) {
        return OperatorState::Absent;
    }
    if (is_controller(deployment)) {
        return OperatorState::Replaced;
    }
    return replicas_of(deployment) == 0 ? OperatorState::Stopped : OperatorState::Runs;
}

std::string missing_installation(const std::string& ns, const std::vector<Value>& deployments,
                                 const std::vector<Value>& sets,
                                 const std::vector<Value>& secrets) {
    const auto is_ours = [](const Value& secret) {
        return secret.at({"metadata", "labels", kRecordLabel}) != nullptr ||
               secret.at({"metadata", "labels", renderer::kSecretLabel}) != nullptr;
    };
    const bool is_there = !find_operator(deployments).is_null() ||
                          std::any_of(sets.begin(), sets.end(), is_rendered) ||
                          std::any_of(secrets.begin(), secrets.end(), is_ours);
    return is_there ? std::string()
                    : fmt::format(
                          "namespace \"{}\" has neither Deployment \"operator\" nor rendered "
                          "proxies: pass their namespace with -n NAMESPACE",
                          ns);
}

Value find_operator(const std::vector<Value>& deployments) {
    return find_first(deployments, {is_operator, is_controller, has_default_name});
}

Value find_controller(const std::vector<Value>& deployments) {
    return find_first(deployments, {is_controller, is_operator, has_default_name});
}

controller::OwnAccount account_of(const Value& deployment, std::string ns) {
    std::string name(text_of(deployment, {"spec", "template", "spec", "serviceAccountName"}));
    return [ns = std::move(ns), name = std::move(name)]() -> renderer::Result<controller::Account> {
        if (name.empty()) {
            return renderer::Error{
                {.rule = "no-account",
                 .message = "no Deployment names the ServiceAccount of the controller"}};
        }
        return controller::Account{.ns = ns, .name = name};
    };
}

std::string oauth_secret_of(const Value& deployment) {
    for (const Value& volume : items_of(deployment.at({"spec", "template", "spec", "volumes"}))) {
        const std::string_view secret = text_of(volume.at({"secret", "secretName"}));
        if (text_of(volume.find("name")) == "oauth" && !secret.empty()) {
            return std::string(secret);
        }
    }
    return "operator-oauth";
}

std::string state_of_operator(const Value& deployment) {
    const Value* variable = find_variable(deployment, "OPERATOR_SECRET");
    const std::string_view named =
        variable == nullptr ? std::string_view() : text_of(variable->find("value"));
    return !named.empty()         ? std::string(named)
           : deployment.is_null() ? std::string(kOperator)
                                  : name_of(deployment);
}

std::string device_of_operator(const Value& deployment, const std::vector<Value>& secrets) {
    const Value* found = find_named(secrets, state_of_operator(deployment));
    return found == nullptr ? std::string() : device_of(*found);
}

renderer::Result<std::string> login_server_of(const Value& deployment) {
    if (deployment.is_null()) {
        return unknown_login_server("no Deployment of the controller with its login server");
    }
    const Value* variable = find_variable(deployment, "OPERATOR_LOGIN_SERVER");
    if (variable != nullptr && variable->find("valueFrom") != nullptr) {
        return unknown_login_server(
            fmt::format("Deployment \"{}\" has OPERATOR_LOGIN_SERVER from another source",
                        name_of(deployment)));
    }
    return std::string(variable == nullptr ? std::string_view() : text_of(variable->find("value")));
}

std::string api_namespace_of(const Value& deployment) {
    const Value* variable =
        deployment.is_null() ? nullptr : find_variable(deployment, "API_PROXY_NAMESPACE");
    return std::string(variable == nullptr ? std::string_view() : text_of(variable->find("value")));
}

std::string describe_operator(const Value& deployment) {
    switch (operator_state(deployment)) {
        case OperatorState::Runs:
            return "the operator runs";
        case OperatorState::Stopped:
            return "the operator is stopped";
        case OperatorState::Replaced:
            return fmt::format(
                "no Tailscale operator: Deployment \"{}\" is the rendered controller",
                name_of(deployment));
        case OperatorState::Absent:
            break;
    }
    return "no Tailscale operator: no Deployment runs it";
}

}  // namespace runtime::operate
