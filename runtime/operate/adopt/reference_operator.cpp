#include "runtime/operate/adopt/reference_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/settings.h"
#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/adopt/adopt_record.h"
#include "runtime/operate/kube_jobs.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kController = "controller";  // our role, in args

bool is_ours(const Value& deployment) {
    const Value* containers = deployment.at({"spec", "template", "spec", "containers"});
    return containers != nullptr && containers->is_list() &&
           std::any_of(containers->items().begin(), containers->items().end(),
                       [](const Value& container) {
                           const Value* args = container.find("args");
                           return args != nullptr && args->is_list() && args->size() > 0 &&
                                  text_of(args->items()[0]) == kController;
                       });
}

// The entry of a container's `env`; null: no container has it.
const Value* find_variable(const Value& deployment, std::string_view name) {
    const Value* containers = deployment.at({"spec", "template", "spec", "containers"});
    if (containers == nullptr || !containers->is_list()) {
        return nullptr;
    }
    for (const Value& container : containers->items()) {
        const Value* variables = container.find("env");
        if (variables == nullptr || !variables->is_list()) {
            continue;
        }
        for (const Value& variable : variables->items()) {
            if (text_of(variable.find("name")) == name) {
                return &variable;
            }
        }
    }
    return nullptr;
}

renderer::Error unknown_login_server(std::string message) {
    return {renderer::Diagnostic{
        .rule = "unknown-login-server",
        .where = "--login-server",
        .message = std::move(message),
        .hint = fmt::format("use --login-server URL ({} is Tailscale's)", kTailscaleLoginServer)}};
}

bool is_pod_of(const Value& pod, const Value& selector) {
    return std::all_of(selector.members().begin(), selector.members().end(),
                       [&pod](const renderer::Member& wanted) {
                           const Value* found = pod.at({"metadata", "labels", wanted.name()});
                           return found != nullptr && *found == wanted.value;
                       });
}

Job wait_for_pods(const OperateContext& context, const Value& deployment) {
    const Value* found = deployment.at({"spec", "selector", "matchLabels"});
    const auto selector = std::make_shared<Value>(found == nullptr ? Value::map() : found->clone());
    const auto none_left = [selector](const Value& pods) {
        const Value* items = pods.find("items");
        return items != nullptr &&
               std::none_of(items->items().begin(), items->items().end(),
                            [&selector](const Value& pod) { return is_pod_of(pod, *selector); });
    };
    return wait_for(context.kube, {context.loop, context.patience}, path_of(kPods, context.ns),
                    none_left, "the operator's pod does not terminate");
}

Job scale(const OperateContext& context, std::int64_t replicas) {
    return change_object(
        context.kube, path_of(kDeployments, context.ns, kOperator),
        [replicas](const Value& deployment) {
            return replicas_of(deployment) == replicas
                       ? Value()
                       : Value::list({operation("add", "/spec/replicas", Value(replicas))});
        });
}

void with_deployment(const OperateContext& context, const Next& next,
                     const std::function<void(const Value&)>& use) {
    context.kube.get(path_of(kDeployments, context.ns, kOperator),
                     [next, use](const KubeReply& reply) {
                         if (!reply.ok() && !reply.not_found()) {
                             return next("cannot read Deployment \"operator\": " + reply.message);
                         }
                         use(reply.object);
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
    if (is_ours(deployment)) {
        return OperatorState::Replaced;
    }
    return replicas_of(deployment) == 0 ? OperatorState::Stopped : OperatorState::Runs;
}

std::string missing_installation(const std::string& ns, const std::vector<Value>& deployments,
                                 const std::vector<Value>& sets,
                                 const std::vector<Value>& secrets) {
    const auto is_rendered = [](const Value& set) {
        return !annotation_of(set, kContractAnnotation).empty();
    };
    const auto is_ours = [](const Value& secret) {
        return secret.at({"metadata", "labels", kRecordLabel}) != nullptr ||
               secret.at({"metadata", "labels", kSecretLabel}) != nullptr;
    };
    const bool is_there = !find_operator(deployments).is_null() ||
                          std::any_of(sets.begin(), sets.end(), is_rendered) ||
                          std::any_of(secrets.begin(), secrets.end(), is_ours);
    return is_there ? std::string()
                    : fmt::format(
                          "namespace \"{}\" has neither Deployment \"operator\" nor rendered "
                          "proxies: name theirs with -n NAMESPACE",
                          ns);
}

Value find_operator(const std::vector<Value>& deployments) {
    const auto found =
        std::find_if(deployments.begin(), deployments.end(),
                     [](const Value& deployment) { return name_of(deployment) == kOperator; });
    return found == deployments.end() ? Value() : found->clone();
}

std::string device_of_operator(const std::vector<Value>& secrets) {
    const auto found = std::find_if(secrets.begin(), secrets.end(), [](const Value& secret) {
        return name_of(secret) == kOperator;
    });
    return found == secrets.end() ? std::string() : device_of(*found);
}

renderer::Result<std::string> login_server_of(const Value& deployment) {
    if (deployment.is_null()) {
        return unknown_login_server(
            "no Deployment \"operator\" with the controller's login server");
    }
    const Value* variable = find_variable(deployment, "OPERATOR_LOGIN_SERVER");
    if (variable != nullptr && variable->find("valueFrom") != nullptr) {
        return unknown_login_server(
            "Deployment \"operator\" has OPERATOR_LOGIN_SERVER from another source");
    }
    return std::string(variable == nullptr ? std::string_view() : text_of(variable->find("value")));
}

std::string_view describe(OperatorState state) {
    switch (state) {
        case OperatorState::Runs:
            return "the operator runs";
        case OperatorState::Stopped:
            return "the operator is stopped";
        case OperatorState::Replaced:
            return "no Tailscale operator: Deployment \"operator\" is the rendered controller";
        case OperatorState::Absent:
            break;
    }
    return "no Tailscale operator: Deployment \"operator\" does not exist";
}

Job stop_operator(const OperateContext& context) {
    return [context](const Next& next) {
        with_deployment(context, next, [context, next](const Value& deployment) {
            const OperatorState state = operator_state(deployment);
            context.say(std::string(describe(state)));
            if (state == OperatorState::Absent || state == OperatorState::Replaced) {
                return next({});
            }
            std::vector<Job> jobs;
            if (state == OperatorState::Runs) {
                context.say("the operator is scaled to 0");
                jobs.push_back(create_once(context.kube, path_of(kSecrets, context.ns),
                                           operator_record(context.ns, replicas_of(deployment))));
                jobs.push_back(scale(context, 0));
            }
            jobs.push_back(wait_for_pods(context, deployment));
            run_in_order(std::move(jobs), next);
        });
    };
}

Job note_predecessor(const OperateContext& context) {
    return [context](const Next& next) {
        const auto state = std::make_shared<Value>();
        read_object(context.kube, path_of(kSecrets, context.ns, kOperator),
                    *state)([context, state, next](const std::string& problem) {
            const std::string id = device_of(*state);
            if (!problem.empty() || id.empty()) {
                return next(problem);
            }
            const std::string all = path_of(kConfigMaps, context.ns);
            const std::string path = path_of(kConfigMaps, context.ns, kLedgerName);
            context.say(
                fmt::format("Tailscale Services of the operator ({}) are the controller's", id));
            run_in_order({only_if(
                              context.kube, path, [](const Value& map) { return map.is_null(); },
                              create_once(context.kube, all, empty_ledger(context.ns))),
                          change_object(context.kube, path,
                                        [id](const Value& map) {
                                            return annotate(map, {{kPredecessorAnnotation, id}});
                                        })},
                         next);
        });
    };
}

Job forget_predecessor(const OperateContext& context) {
    return change_object(context.kube, path_of(kConfigMaps, context.ns, kLedgerName),
                         [](const Value& map) {
                             return annotate(map, {{kPredecessorAnnotation, ""}});
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
        const std::string path = path_of(kSecrets, context.ns, kOperatorRecord);
        context.kube.get(path, [context, path, next](const KubeReply& record) {
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
                        jobs.push_back(scale(context, replicas));
                    }
                    jobs.push_back(erase_object(context.kube, path));
                    run_in_order(std::move(jobs), next);
                });
        });
    };
}

}  // namespace runtime
