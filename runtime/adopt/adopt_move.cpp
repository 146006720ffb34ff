#include "runtime/adopt/adopt_move.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/adopt/adopt_auth.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/adopt/stock_operator.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/decide.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kInterval(500);
// A blocked pod of this age is replaced: the kubelet looks for a missing Secret ever more rarely,
// but at once for a new pod.
constexpr Duration kOldPod = std::chrono::seconds(10);

controller::ProxySet rendered_set(const AdoptSnapshot& snapshot, const std::string& name) {
    for (const Value& set : snapshot.sets) {
        if (name_of(set) == name) {
            return controller::decode_proxy_set(set).value_or(controller::ProxySet());
        }
    }
    return {};
}

// Returns the patch that adds the labels and annotations of `wanted`, our state Secret, to those of
// `object`.
Value ours(const Value& object, const Value& wanted) {
    Value operations = Value::list();
    for (const std::string_view part : {"labels", "annotations"}) {
        const Value* present = object.at({"metadata", part});
        Value all = present == nullptr ? Value::map() : present->clone();
        for (const renderer::Member& member : wanted.at({"metadata", part})->members()) {
            all.put(member.key.clone(), member.value.clone());
        }
        if (present == nullptr || !(all == *present)) {
            operations.append(operation("add", "/metadata/" + std::string(part), std::move(all)));
        }
    }
    return operations;
}

// The objects that are read before the state of a replica is copied to its new name.
struct Seen {
    Value auth;   // of the new replica
    Value set;    // the old one
    Value state;  // of the old replica
};

// True if the old replica has the newest state of the device, which it has unless a pod of the new
// name has run since: a pod writes its UID before anything else.
bool is_newest(const Seen& seen, const Value& present) {
    if (!seen.auth.is_null() || seen.state.is_null()) {
        return false;
    }
    return device_of(present).empty() ||
           (!device_of(seen.state).empty() &&
            (has_replicas(seen.set) ||
             datum_of(present, renderer::kPodUid) == datum_of(seen.state, renderer::kPodUid)));
}

Job write_state(const OperateContext& context, const controller::ProxySet& set,
                const std::string& name, const std::shared_ptr<Seen>& seen) {
    return [&kube = context.kube, ns = context.ns, set, name, seen](const Next& next) {
        const auto wanted = [ns, set, name] {
            return controller::state_secret(ns, name, set.name, set.tailnet, set.labels);
        };
        const auto merge = [wanted, seen](const Value& object) {
            Value operations = ours(object, wanted());
            if (is_newest(*seen, object)) {
                const Value* present = object.find("data");
                Value data = with_state(seen->state, present);
                if (present == nullptr || !(data == *present)) {
                    operations.append(operation("add", "/data", std::move(data)));
                }
            }
            return operations.items().empty() ? Value() : std::move(operations);
        };
        std::vector<Job> jobs;
        if (is_newest(*seen, {})) {
            Value fresh = wanted();
            fresh.put("data", with_state(seen->state, nullptr));
            jobs.push_back(create_once(kube, kube::path_of(kube::kSecrets, ns), std::move(fresh)));
        }
        jobs.push_back(change_object(kube, kube::path_of(kube::kSecrets, ns, name), merge));
        run_in_order(std::move(jobs), next);
    };
}

bool is_absent(const Value& object) {
    return object.is_null();
}

std::string new_secret(const Move& move, const std::string& old_secret) {
    return move.new_name + old_secret.substr(move.old_name.size());
}

// Gives the new state Secret the controller's label in any case, and copies the old state into it
// if that is the newest. Nothing is copied once the new pod may run, which writes this Secret
// itself.
Job bring_state(const OperateContext& context, const controller::ProxySet& set, const Move& move,
                const std::string& old_secret) {
    return [context, set, old_set = kube::path_of(kube::kStatefulSets, context.ns, move.old_name),
            old_secret, name = new_secret(move, old_secret)](const Next& next) {
        kube::Client& kube = context.kube;
        const auto seen = std::make_shared<Seen>();
        const std::string auth = controller::auth_name(name, set.is_api_proxy);
        run_in_order({read_object(kube, secret_path(context, auth), seen->auth),
                      read_object(kube, old_set, seen->set),
                      read_object(kube, secret_path(context, old_secret), seen->state),
                      write_state(context, set, name, seen)},
                     next);
    };
}

Value at_most(const Value& set, int replicas) {
    const Value* present = set.at({"spec", "replicas"});
    const std::int64_t now = present == nullptr ? 1 : present->as_int().value_or(1);
    return now <= replicas ? Value()
                           : Value::list({operation("add", "/spec/replicas", Value(replicas))});
}

// Ends the replicas that have not joined yet, with those of higher ordinals. Such a replica has no
// clients, and if it joined meanwhile its device would be lost.
void end_joining(const OperateContext& context, const Move& move, std::size_t index,
                 const Next& next) {
    if (index == move.secrets.size()) {
        return next({});
    }
    const auto state = std::make_shared<Value>();
    read_object(context.kube, secret_path(context, move.secrets[index]),
                *state)([=](const std::string& problem) {
        if (!problem.empty() || state->is_null() || !device_of(*state).empty()) {
            return problem.empty() ? end_joining(context, move, index + 1, next) : next(problem);
        }
        context.say(move.secrets[index] + ": has not joined yet, so it is stopped first");
        const int replicas = controller::split_replica(move.secrets[index])->ordinal;
        std::vector<Job> jobs{change_object(
            context.kube, kube::path_of(kube::kStatefulSets, context.ns, move.old_name),
            [replicas](const Value& set) { return at_most(set, replicas); })};
        for (std::size_t i = index; i < move.secrets.size(); ++i) {
            jobs.push_back(wait_for(context.kube, {context.loop, context.patience},
                                    kube::path_of(kube::kPods, context.ns, move.secrets[i]),
                                    is_absent,
                                    fmt::format("pod \"{}\" does not terminate", move.secrets[i])));
        }
        run_in_order(std::move(jobs), next);
    });
}

Value both_pods(const Value& service) {
    Value selector = Value::map({{renderer::label::kManaged, "true"}});
    for (const auto& [key, text] : parent_labels(service)) {
        selector.put(fmt::format("{}{}", renderer::kOperatorDomain, key), text);
    }
    const Value* present = service.at({"spec", "selector"});
    return present != nullptr && *present == selector
               ? Value()
               : Value::list({operation("add", "/spec/selector", std::move(selector))});
}

bool has_started(const Value& pod) {
    for (const std::string_view part : {"initContainerStatuses", "containerStatuses"}) {
        const Value* all = pod.at({"status", part});
        if (all != nullptr && all->is_list() &&
            std::any_of(all->items().begin(), all->items().end(), [](const Value& container) {
                return container.at({"state", "running"}) != nullptr ||
                       container.at({"state", "terminated"}) != nullptr;
            })) {
            return true;
        }
    }
    return false;
}

Job replace_waiting_pod(const OperateContext& context, const std::string& name) {
    return [context, name](const Next& next) {
        const std::string path = kube::path_of(kube::kPods, context.ns, name);
        context.kube.get(path, [=](const kube::Reply& reply) {
            const auto made =
                parse_time(text_of(reply.object.at({"metadata", "creationTimestamp"})));
            if (!reply.ok() || has_started(reply.object) || !made.has_value() ||
                context.loop.now() - *made < kOldPod) {
                return next({});
            }
            erase_object(context.kube, path,
                         std::string(text_of(reply.object.at({"metadata", "uid"}))))(next);
        });
    };
}

struct Joining {
    OperateContext context;
    std::string pod;
    Duration end;  // uptime
};

void look(const std::shared_ptr<Joining>& joining, const Next& next) {
    const auto& context = joining->context;
    const auto again = [joining, next] {
        if (joining->context.loop.uptime() >= joining->end) {
            return next(fmt::format("pod \"{}\" has not rejoined with its device", joining->pod));
        }
        joining->context.loop.after(kInterval, [joining, next] { look(joining, next); });
    };
    context.kube.get(
        kube::path_of(kube::kPods, context.ns, joining->pod), [=](const kube::Reply& reply) {
            const auto pod = reply.ok() ? controller::decode_pod(reply.object) : std::nullopt;
            if (!pod || pod->uid.empty()) {
                return again();
            }
            joining->context.kube.get(
                kube::path_of(kube::kSecrets, joining->context.ns, joining->pod),
                [=](const kube::Reply& state) {
                    const bool is_new =
                        state.not_found() || (state.ok() && device_of(state.object).empty());
                    if (is_new) {
                        joining->context.say(joining->pod + ": gets its key from the controller");
                        return next({});
                    }
                    if (!state.ok()) {
                        return again();
                    }
                    const controller::StateSecret told = controller::read_state(state.object);
                    if (!controller::is_up({.state = &told, .pod = &*pod})) {
                        return again();
                    }
                    joining->context.say(
                        fmt::format("{}: runs as {} ({})", joining->pod,
                                    datum_of(state.object, renderer::kDeviceId),
                                    datum_of(state.object, renderer::kDeviceFqdn)));
                    next({});
                });
        });
}

Job erase_child(const OperateContext& context, const renderer::Kind& kind,
                const std::string& name) {
    const std::string path = kube::path_of(kind, context.ns, name);
    return in_order(
        {change_object(context.kube, path, without_finalizers), erase_object(context.kube, path)});
}

// Waits until the new pod exists: one that admission refuses would never take over.
Job must_be_made(const OperateContext& context, const controller::ProxySet& set) {
    const std::string pod = fmt::format("{}-0", set.name);
    return set.replicas == 0 ? in_order({})
                             : wait_for(
                                   context.kube, {context.loop, context.patience},
                                   kube::path_of(kube::kPods, context.ns, pod),
                                   [](const Value& object) { return !object.is_null(); },
                                   fmt::format("pod \"{}\" is not created, so the old one is kept: "
                                               "see the events of its StatefulSet",
                                               pod));
}

// Deletes the old state Secret, unless nothing else has its device.
Job erase_state(const OperateContext& context, const Move& move, const std::string& old_secret) {
    return [context, old_secret, name = new_secret(move, old_secret)](const Next& next) {
        const auto old = std::make_shared<Value>();
        const auto fresh = std::make_shared<Value>();
        run_in_order(
            {read_object(context.kube, secret_path(context, old_secret), *old),
             read_object(context.kube, secret_path(context, name), *fresh)},
            [=](const std::string& problem) {
                if (problem.empty() && !device_of(*old).empty() && device_of(*fresh).empty()) {
                    return next(fmt::format(
                        "\"{0}\" got its own key, so \"{1}\", which has device {2}, is "
                        "kept: stop the controller, delete Secret \"{3}\" and pod "
                        "\"{0}\", and run adopt again",
                        name, old_secret, device_of(*old), controller::auth_name(name, false)));
                }
                problem.empty() ? erase_child(context, kube::kSecrets, old_secret)(next)
                                : next(problem);
            });
    };
}

std::vector<Job> leftovers(const OperateContext& context, const Move& move) {
    std::vector<Job> jobs;
    jobs.push_back(redirect(context, move.services, move.old_name, move.new_name));
    for (const std::string& name : {move.old_name, move.old_name + "-metrics"}) {
        jobs.push_back(erase_child(context, kube::kServices, name));
    }
    for (const std::string& name : move.secrets) {
        jobs.push_back(erase_state(context, move, name));
    }
    jobs.push_back(change_object(context.kube, secret_path(context, record_name(move.old_name)),
                                 close_record));
    return jobs;
}

// Marks a state Secret as taken over, so that a rollback finds it.
Value as_taken(const Value& secret) {
    return annotate(secret, {{renderer::kTakenAnnotation, "true"}});
}

Job note(const OperateContext& context, const std::string& text) {
    return [context, text](const Next& next) {
        context.say(text);
        next({});
    };
}

}  // namespace

Job must_join(const OperateContext& context, const std::string& pod) {
    return [context, pod](const Next& next) {
        look(std::make_shared<Joining>(
                 Joining{context, pod, context.loop.uptime() + context.patience}),
             next);
    };
}

Job redirect(const OperateContext& context, const std::vector<std::string>& services,
             const std::string& from, const std::string& to) {
    const std::string start = fmt::format("{}.{}.svc.", from, context.ns);
    const auto change = [start, from, to](const Value& object) {
        const std::string name(text_of(object.at({"spec", "externalName"})));
        return name.starts_with(start)
                   ? Value::list({operation("replace", "/spec/externalName",
                                            Value(to + name.substr(from.size())))})
                   : Value();
    };
    std::vector<Job> jobs;
    jobs.reserve(services.size());
    for (const std::string& service : services) {
        const std::size_t slash = service.find('/');
        jobs.push_back(change_object(
            context.kube,
            kube::path_of(kube::kServices, service.substr(0, slash), service.substr(slash + 1)),
            change));
    }
    return in_order(std::move(jobs));
}

Job move_proxy(const OperateContext& context, const AdoptSnapshot& snapshot, const Move& move) {
    const controller::ProxySet set = rendered_set(snapshot, move.new_name);
    const std::string old_set = kube::path_of(kube::kStatefulSets, context.ns, move.old_name);
    std::vector<Job> states;
    states.reserve(move.secrets.size());
    for (const std::string& secret : move.secrets) {
        states.push_back(bring_state(context, set, move, secret));
    }
    const Job bring_states = in_order(std::move(states));
    std::vector<Job> jobs{
        create_once(context.kube, kube::path_of(kube::kSecrets, context.ns),
                    proxy_record(snapshot, move, context.ns)),
        change_object(context.kube, secret_path(context, record_name(move.old_name)), open_record)};
    if (!move.old_uid.empty()) {
        if (!move.services.empty()) {
            jobs.push_back(change_object(context.kube,
                                         kube::path_of(kube::kServices, context.ns, move.old_name),
                                         both_pods));
        }
        jobs.push_back(operator_must_rest(context));
        jobs.push_back(must_be_made(context, set));
        jobs.push_back([context, move](const Next& next) { end_joining(context, move, 0, next); });
        jobs.push_back(bring_states);
        jobs.push_back(note(
            context, fmt::format("{} -> {}: stopping the old pod", move.old_name, move.new_name)));
        jobs.push_back(erase_object(context.kube, old_set, move.old_uid, "Foreground"));
    }
    jobs.push_back(wait_for(context.kube, {context.loop, context.patience}, old_set, is_absent,
                            fmt::format("StatefulSet \"{}\" still exists", move.old_name)));
    jobs.push_back(bring_states);  // with what the old pod has written until its end
    for (int ordinal = 0; ordinal < set.replicas; ++ordinal) {
        const std::string pod = fmt::format("{}-{}", move.new_name, ordinal);
        jobs.push_back(let_start(context, set, fmt::format("{}-{}", move.old_name, ordinal), pod));
        jobs.push_back(replace_waiting_pod(context, pod));
        jobs.push_back(must_join(context, pod));
    }
    for (Job& job : leftovers(context, move)) {
        jobs.push_back(std::move(job));
    }
    return in_order(std::move(jobs));
}

Job move_group_service(const OperateContext& context, const GroupService& service) {
    std::vector<Job> jobs{
        operator_must_rest(context),
        redirect(context, service.services, service.old_name, service.new_name),
        note(context, fmt::format("{} -> {}", service.old_name, service.new_name))};
    for (const std::string& slice : service.slices) {
        jobs.push_back(erase_child(context, kube::kEndpointSlices, slice));
    }
    // The old Service is deleted last: the next run finds the others by it.
    jobs.push_back(erase_child(context, kube::kServices, service.old_name));
    return in_order(std::move(jobs));
}

Job move_own_device(const OperateContext& context, const AdoptSnapshot& snapshot,
                    const OperatorDevice& own) {
    const controller::ProxySet set = rendered_set(snapshot, own.set);
    const std::string& pod = own.new_name;
    const std::string old = secret_path(context, own.old_name);
    const auto seen = std::make_shared<Seen>();
    const auto moved = [pod](const Value& its) { return annotate(its, {{kMovedAnnotation, pod}}); };
    return in_order(
        {operator_must_rest(context), note(context, own.old_name + " -> " + pod),
         change_object(context.kube, old, moved), read_object(context.kube, old, seen->state),
         read_object(context.kube, secret_path(context, controller::auth_name(pod, false)),
                     seen->auth),
         write_state(context, set, pod, seen), let_start(context, set, own.old_name, pod),
         replace_waiting_pod(context, pod), must_join(context, pod)});
}

Job take_over(const OperateContext& context, const AdoptSnapshot& snapshot,
              const Takeover& takeover) {
    const controller::ProxySet set = rendered_set(snapshot, takeover.set);
    const auto become_ours = [ns = context.ns, set, takeover](const Value& object) {
        Value operations = ours(object, controller::state_secret(ns, takeover.secret, set.name,
                                                                 set.tailnet, set.labels));
        return operations.items().empty() ? Value() : std::move(operations);
    };
    const std::string secret = secret_path(context, takeover.secret);
    std::vector<Job> jobs{
        operator_must_rest(context),
        note(context, fmt::format("{}: its Secret is taken over", takeover.secret)),
        change_object(context.kube, secret, as_taken)};
    if (!takeover.leftover.empty()) {
        jobs.push_back(erase_object(context.kube, secret_path(context, takeover.leftover)));
    }
    jobs.push_back(let_start(context, set, takeover.secret, takeover.secret));
    // The label is written last: a state Secret without it is found by the next run. The controller
    // may write it first: by the auth Secret it recognizes the state Secret as its own, and finds
    // the device noted.
    jobs.push_back(change_object(context.kube, secret, become_ours));
    return in_order(std::move(jobs));
}

}  // namespace runtime::adopt
