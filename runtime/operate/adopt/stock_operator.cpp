#include "runtime/operate/adopt/stock_operator.h"

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
#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/adopt/adopt_record.h"
#include "runtime/operate/kube_jobs.h"

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

bool is_pod_of(const Value& pod, const Value& selector) {
    return std::all_of(selector.members().begin(), selector.members().end(),
                       [&pod](const renderer::Member& wanted) {
                           const Value* found = pod.at({"metadata", "labels", wanted.name()});
                           return found != nullptr && *found == wanted.value;
                       });
}

// True for a pod that was evicted or has completed: it stays in the list, but runs nothing.
bool is_over(const Value& pod) {
    const std::string_view phase = text_of(pod.at({"status", "phase"}));
    return phase == "Failed" || phase == "Succeeded";
}

// True if the pod runs the operator. The rendered controller has the same selector, and may still
// have variables of the operator that server-side apply has left.
bool runs_operator(const Value& pod) {
    const Value deployment = Value::map({{"spec", Value::map({{"template", pod.clone()}})}});
    return is_operator(deployment) && !is_controller(deployment);
}

// Waits until the operator's pods have ended; with `any`, all pods of the Deployment.
Job wait_for_pods(const OperateContext& context, const Value& deployment, bool any) {
    const Value* found = deployment.at({"spec", "selector", "matchLabels"});
    const auto selector = std::make_shared<Value>(found == nullptr ? Value::map() : found->clone());
    const auto none_left = [selector, any](const Value& pods) {
        const Value* items = pods.find("items");
        return items != nullptr && std::none_of(items->items().begin(), items->items().end(),
                                                [&selector, any](const Value& pod) {
                                                    return !is_over(pod) &&
                                                           is_pod_of(pod, *selector) &&
                                                           (any || runs_operator(pod));
                                                });
    };
    return wait_for(context.kube, {context.loop, context.patience},
                    kube::path_of(kube::kPods, context.ns), none_left,
                    "the operator's pod does not terminate");
}

Job scale(const OperateContext& context, const Value& its_deployment, std::int64_t replicas) {
    return change_object(
        context.kube, kube::path_of(kDeployments, context.ns, name_of(its_deployment)),
        [replicas](const Value& deployment) {
            return replicas_of(deployment) == replicas
                       ? Value()
                       : Value::list({operation("add", "/spec/replicas", Value(replicas))});
        });
}

void with_deployment(const OperateContext& context, const Next& next,
                     const std::function<void(const Value&)>& use) {
    const auto all = std::make_shared<Objects>();
    list_all(context.kube, kube::path_of(kDeployments, context.ns),
             *all)([all, next, use](const std::string& problem) {
        problem.empty() ? use(find_operator(*all)) : next(problem);
    });
}

// Notes the node id in the operator's state Secret: its Tailscale Services are the controller's
// now.
void note_device_of(const OperateContext& context, std::string_view secret, const Next& next) {
    const auto state = std::make_shared<Value>();
    read_object(context.kube, kube::path_of(kube::kSecrets, context.ns, secret),
                *state)([context, state, next](const std::string& problem) {
        const std::string id = device_of(*state);
        if (!problem.empty() || id.empty()) {
            return next(problem);
        }
        const std::string all = kube::path_of(kube::kConfigMaps, context.ns);
        const std::string path =
            kube::path_of(kube::kConfigMaps, context.ns, controller::kLedgerName);
        context.say(fmt::format(
            "Tailscale Services of the operator ({}) now belong to the controller", id));
        run_in_order(
            {only_if(
                 context.kube, path, [](const Value& map) { return map.is_null(); },
                 create_once(context.kube, all, controller::empty_ledger(context.ns))),
             change_object(context.kube, path,
                           [id](const Value& map) {
                               return annotate(map, {{renderer::kPredecessorAnnotation, id}});
                           })},
            next);
    });
}

}  // namespace

std::int64_t replicas_of(const Value& deployment) {
    const Value* replicas = deployment.at({"spec", "replicas"});
    return replicas == nullptr ? 1 : replicas->as_int().value_or(1);
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
    const auto is_rendered = [](const Value& set) {
        return !controller::annotation_of(set, renderer::kContractAnnotation).empty();
    };
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
    const auto found = std::find_if(secrets.begin(), secrets.end(),
                                    [name = state_of_operator(deployment)](const Value& secret) {
                                        return name_of(secret) == name;
                                    });
    return found == secrets.end() ? std::string() : device_of(*found);
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

Job stop_operator(const OperateContext& context) {
    return [context](const Next& next) {
        with_deployment(context, next, [context, next](const Value& deployment) {
            const OperatorState state = operator_state(deployment);
            context.say(describe_operator(deployment));
            std::vector<Job> jobs;
            if (state == OperatorState::Runs) {
                context.say("the operator is scaled to 0");
                jobs.push_back(create_once(context.kube, kube::path_of(kube::kSecrets, context.ns),
                                           operator_record(context.ns, replicas_of(deployment))));
                jobs.push_back(scale(context, deployment, 0));
            }
            const bool has_its_own =
                state == OperatorState::Runs || state == OperatorState::Stopped;
            jobs.push_back(wait_for_pods(context, deployment, has_its_own));
            run_in_order(std::move(jobs), next);
        });
    };
}

Job note_predecessor(const OperateContext& context) {
    return [context](const Next& next) {
        with_deployment(context, next, [context, next](const Value& deployment) {
            note_device_of(context, state_of_operator(deployment), next);
        });
    };
}

Job forget_predecessor(const OperateContext& context) {
    return change_object(context.kube,
                         kube::path_of(kube::kConfigMaps, context.ns, controller::kLedgerName),
                         [](const Value& map) {
                             return annotate(map, {{renderer::kPredecessorAnnotation, ""}});
                         });
}

Job operator_must_rest(const OperateContext& context) {
    return [context, next_hint =
                         "keep it at 0 in the repository of the cluster, or commit the "
                         "rendered install, which replaces it"](const Next& next) {
        with_deployment(context, next, [next, next_hint](const Value& deployment) {
            next(operator_state(deployment) == OperatorState::Runs
                     ? fmt::format("the operator was started again: {}", next_hint)
                     : std::string());
        });
    };
}

Job start_operator(const OperateContext& context) {
    return [context](const Next& next) {
        const std::string path = kube::path_of(kube::kSecrets, context.ns, kOperatorRecord);
        context.kube.get(path, [context, path, next](const kube::Reply& record) {
            if (!record.ok()) {
                return next(record.not_found() ? std::string() : record.message);
            }
            with_deployment(
                context, next,
                [context, path, next,
                 replicas = recorded_replicas(record.object)](const Value& deployment) {
                    std::vector<Job> jobs;
                    if (operator_state(deployment) == OperatorState::Stopped) {
                        context.say(fmt::format("the operator is scaled to {}", replicas));
                        jobs.push_back(scale(context, deployment, replicas));
                    }
                    jobs.push_back(erase_object(context.kube, path));
                    run_in_order(std::move(jobs), next);
                });
        });
    };
}

}  // namespace runtime::operate
