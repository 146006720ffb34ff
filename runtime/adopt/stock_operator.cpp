#include "runtime/adopt/stock_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/core/text_of.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/base/json_patch.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::text_of;
using renderer::Value;

namespace {

// True for a pod that was evicted or has completed: it stays in the list, but runs nothing.
bool is_over(const Value& pod) {
    const std::string_view phase = text_of(pod.at({"status", "phase"}));
    return phase == "Failed" || phase == "Succeeded";
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

}  // namespace runtime::adopt
