// The rollback, from the records. The controller does not touch a replica whose Secrets have lost
// its labels, the auth Secret first (adopt_auth.h). So the rendered pod, which a GitOps engine may
// recreate at any time, is blocked by a missing auth Secret. The operator's StatefulSet gets its
// replicas when that pod has ended.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "runtime/adopt/adopt.h"
#include "runtime/adopt/adopt_auth.h"
#include "runtime/adopt/adopt_move.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/adopt/stock_operator.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/view/objects.h"
#include "runtime/controller/view/rendered_config.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kNoRecord = "no record of an adoption";

struct Return {
    OperateContext context;
    AdoptSnapshot snapshot;
    std::vector<std::string> problems;  // of proxies that were moved back, but do not run
};
using SharedReturn = std::shared_ptr<Return>;

// A pod of the rendered proxy, with the Secret that the operator's pod had.
struct ReturnedReplica {
    std::string pod, old_secret;
    bool has_device = false;
    const Value* recorded;  // the old Secret, as recorded
};

bool has_device(const AdoptSnapshot& snapshot, const std::string& name) {
    const auto& secrets = snapshot.secrets;
    return std::any_of(secrets.begin(), secrets.end(), [&name](const Value& secret) {
        return name_of(secret) == name && !device_of(secret).empty();
    });
}

bool is_set_of(const AdoptSnapshot& snapshot, const std::string& set) {
    return std::any_of(snapshot.sets.begin(), snapshot.sets.end(),
                       [&set](const Value& one) { return name_of(one) == set; });
}

std::vector<ReturnedReplica> replicas_to_return(const AdoptSnapshot& snapshot,
                                                const AdoptRecord& record) {
    std::vector<ReturnedReplica> out;
    out.reserve(record.secrets.size());
    for (const Value& secret : record.secrets) {
        const std::string old_secret = name_of(secret);
        const std::string pod = record.new_name + old_secret.substr(record.old_name.size());
        out.push_back({pod, old_secret,
                       has_device(snapshot, pod) || has_device(snapshot, old_secret), &secret});
    }
    return out;
}

// Returns the recorded Secret, without its state if the replica has no device any more: its device
// was deleted, and the recorded state must not come back.
Value old_secret(const ReturnedReplica& replica) {
    Value out = replica.recorded->clone();
    if (const Value* data = out.at({"data"}); !replica.has_device && data != nullptr) {
        Value left = Value::map();
        for (const renderer::Member& member : data->members()) {
            if (!is_state_key(member.name())) {
                left.put(member.key.clone(), member.value.clone());
            }
        }
        out.put("data", std::move(left));
    }
    return out;
}

Job create_all(const OperateContext& context, const renderer::Kind& kind,
               const std::vector<Value>& objects) {
    std::vector<Job> jobs;
    jobs.reserve(objects.size());
    for (const Value& object : objects) {
        jobs.push_back(create_once(context.kube, kube::path_of(kind, context.ns), object.clone()));
    }
    return in_order(std::move(jobs));
}

// Creates the old StatefulSet without replicas: while it exists, the controller creates no auth
// Secret.
Job create_idle_set(const OperateContext& context, const AdoptRecord& record) {
    Value idle = record.set.clone();
    idle.find("spec")->put("replicas", 0);
    const auto is_not_leaving = [](const Value& set) {
        return set.at({"metadata", "deletionTimestamp"}) == nullptr;
    };
    return in_order(
        {wait_for(context.kube, {context.loop, context.patience},
                  kube::path_of(kube::kStatefulSets, context.ns, record.old_name), is_not_leaving,
                  fmt::format("StatefulSet \"{}\" is not deleted", record.old_name)),
         create_once(context.kube, kube::path_of(kube::kStatefulSets, context.ns),
                     std::move(idle))});
}

// Returns the patch that removes the auth key from the configuration of a relay: the operator
// would keep a key that it finds there, and its pods lack our file.
Value without_key_file(const Value& secret) {
    if (text_of(secret.at({"metadata", "labels", renderer::kSecretLabel})) !=
        renderer::kConfigSecret) {
        return {};
    }
    Value data = Value::map();
    if (const Value* had = secret.find("data"); had != nullptr && had->is_map()) {
        for (const renderer::Member& member : had->members()) {
            auto json =
                renderer::read_json(controller::secret_datum(secret, member.name()).value_or(""));
            if (json && json->is_map()) {
                json->erase(renderer::kConfigKeyField);
                data.add(Value(member.name()),
                         renderer::encode_base64(renderer::write_json(*json)));
            }
        }
    }
    Value operations = without_our_label(secret);
    operations.append(operation("add", "/data", std::move(data)));
    return operations;
}

// Ends a pod that has started because it had its auth Secret; the pod after it is blocked.
Job end_pod(const OperateContext& context, const std::string& pod) {
    return [context, pod](const Next& next) {
        const std::string path = kube::path_of(kube::kPods, context.ns, pod);
        context.kube.get(path, [=](const kube::Reply& reply) {
            if (!reply.ok()) {
                return next(reply.not_found() ? std::string() : reply.message);
            }
            const std::string uid(text_of(reply.object.at({"metadata", "uid"})));
            run_in_order({erase_object(context.kube, path, uid),
                          wait_for(
                              context.kube, {context.loop, context.patience}, path,
                              [uid](const Value& object) {
                                  return text_of(object.at({"metadata", "uid"})) != uid;
                              },
                              fmt::format("pod \"{}\" does not terminate", pod))},
                         next);
        });
    };
}

bool is_idle(const Value& set) {
    return !set.is_null() && !has_replicas(set);
}

// Copies the present state of a device over the recorded one.
Job copy_state(const OperateContext& context, const std::string& from, const std::string& to) {
    return [context, from, to](const Next& next) {
        context.kube.get(secret_path(context, from), [=](const kube::Reply& reply) {
            if (!reply.ok() || device_of(reply.object).empty()) {
                return next(reply.ok() || reply.not_found() ? std::string() : reply.message);
            }
            const auto state = std::make_shared<Value>(reply.object.clone());
            const auto merge = [state](const Value& old) {
                const Value* present = old.find("data");
                Value data = with_state(*state, present);
                return present != nullptr && data == *present
                           ? Value()
                           : Value::list({operation("add", "/data", std::move(data))});
            };
            change_object(context.kube, secret_path(context, to), merge)(next);
        });
    };
}

// Copies the state back, unless the operator's StatefulSet already has replicas.
Job state_back(const OperateContext& context, const AdoptRecord& record,
               const ReturnedReplica& replica) {
    return only_if(context.kube, kube::path_of(kube::kStatefulSets, context.ns, record.old_name),
                   is_idle, copy_state(context, replica.pod, replica.old_secret));
}

Job give_replicas(const OperateContext& context, const AdoptRecord& record) {
    const Value* replicas = record.set.at({"spec", "replicas"});
    const std::int64_t wanted = replicas == nullptr ? 1 : replicas->as_int().value_or(1);
    return change_object(
        context.kube, kube::path_of(kube::kStatefulSets, context.ns, record.old_name),
        [wanted](const Value& set) {
            const Value* present = set.at({"spec", "replicas"});
            return present != nullptr && present->as_int() == wanted
                       ? Value()
                       : Value::list({operation("add", "/spec/replicas", Value(wanted))});
        });
}

// Keeps the problem of one proxy, so that the others continue: the old pod has all that it needs,
// and no other pod runs.
Job keep_problem(const SharedReturn& back, const Job& job) {
    return [back, job](const Next& next) {
        job([back, next](const std::string& problem) {
            if (!problem.empty()) {
                back->problems.push_back(problem);
            }
            next({});
        });
    };
}

Job move_back(const SharedReturn& back, const AdoptRecord& record) {
    const OperateContext& context = back->context;
    const std::vector<ReturnedReplica> replicas = replicas_to_return(back->snapshot, record);
    const bool is_lost =
        std::none_of(replicas.begin(), replicas.end(),
                     [](const ReturnedReplica& replica) { return replica.has_device; });
    if (record.set.is_null() || (is_lost && !is_set_of(back->snapshot, record.new_name))) {
        context.say(fmt::format("{}: its device was deleted; the operator will create a new proxy",
                                record.old_name));
        return erase_object(context.kube, secret_path(context, record.name));
    }
    context.say(fmt::format("{} -> {}", record.new_name, record.old_name));
    std::vector<Value> secrets;
    secrets.reserve(replicas.size());
    for (const ReturnedReplica& replica : replicas) {
        secrets.push_back(old_secret(replica));
    }
    std::vector<Job> jobs{create_all(context, kube::kServices, record.services),
                          create_idle_set(context, record),
                          create_all(context, kube::kSecrets, secrets)};
    for (const ReturnedReplica& replica : replicas) {
        const std::string state = secret_path(context, replica.pod);
        jobs.push_back(let_go_of_auth(context, replica.pod));
        jobs.push_back(change_object(context.kube, state, without_our_label));
        jobs.push_back(erase_object(
            context.kube, secret_path(context, controller::auth_name(replica.pod, false))));
        jobs.push_back(end_pod(context, replica.pod));
        jobs.push_back(state_back(context, record, replica));
    }
    jobs.push_back(give_replicas(context, record));
    jobs.push_back(redirect(context,
                            services_that_name(back->snapshot, record.new_name, context.ns),
                            record.new_name, record.old_name));
    std::vector<Job> joins;
    for (const ReturnedReplica& replica : replicas) {
        jobs.push_back(erase_object(context.kube, secret_path(context, replica.pod)));
        if (replica.has_device) {
            joins.push_back(must_join(context, replica.old_secret));
        }
    }
    joins.push_back(erase_object(context.kube, secret_path(context, record.name)));
    jobs.push_back(keep_problem(back, in_order(std::move(joins))));
    return in_order(std::move(jobs));
}

bool is_taken(const Value& secret) {
    return !controller::annotation_of(secret, renderer::kTakenAnnotation).empty();
}

Value forget_takeover(const Value& secret) {
    return annotate(secret, {{renderer::kTakenAnnotation, ""}});
}

Value forget_all(const Value& secret) {
    return is_taken(secret) ? annotate(secret, {{renderer::kTakenAnnotation, ""},
                                                {renderer::kSetAnnotation, ""},
                                                {renderer::kTailnetAnnotation, ""}})
                            : Value();
}

// Gives back a replica whose StatefulSet and Secret have kept their names. The operator writes both
// again once the custom resource is recreated. Until then, a pod that is restarted needs the blank
// auth Secret: a StatefulSet whose first pod is blocked would never get to the operator's template.
// The annotations are removed last, because the next run finds the Secret by them.
Job give_back(const OperateContext& context, const Value& secret) {
    const std::string name = name_of(secret);
    const std::string path = secret_path(context, name);
    std::vector<Job> jobs{
        let_go_of_auth(context, name), change_object(context.kube, path, without_our_label),
        change_object(context.kube, secret_path(context, renderer::config_secret_name(name)),
                      without_key_file)};
    if (device_of(secret).empty()) {
        jobs.push_back(
            erase_object(context.kube, secret_path(context, controller::auth_name(name, false))));
    }
    jobs.push_back(change_object(context.kube, path, forget_all));
    return in_order(std::move(jobs));
}

std::string moved_to(const Value& secret) {
    return controller::annotation_of(secret, kMovedAnnotation);
}

// Gives back the operator's own device; the operator itself starts last. The annotation is removed
// after everything else, because the next run finds the rest by it.
Job own_device_back(const OperateContext& context, const Value& secret) {
    const std::string pod = moved_to(secret);
    const std::string state = secret_path(context, pod);
    const auto stays = [](const Value& its) { return annotate(its, {{kMovedAnnotation, ""}}); };
    return in_order(
        {operator_must_rest(context), let_go_of_auth(context, pod),
         change_object(context.kube, state, without_our_label),
         erase_object(context.kube, secret_path(context, controller::auth_name(pod, false))),
         end_pod(context, pod), copy_state(context, pod, name_of(secret)),
         erase_object(context.kube, state),
         change_object(context.kube, secret_path(context, name_of(secret)), stays)});
}

// Names the proxies that were rendered after the adoption. They are removed like any other proxy,
// while the controller runs. With Secrets that have the names of the operator, it continues.
void name_new_ones(const OperateContext& context, const AdoptSnapshot& snapshot) {
    std::set<std::string> moved, others;
    for (const Value& secret : snapshot.secrets) {
        const std::string pod = moved_to(secret);
        if (const auto replica = controller::split_replica(pod)) {
            moved.emplace(replica->set);
        }
        if (const auto record = decode_record(secret)) {
            moved.insert(record->new_name);
        } else if (const auto state = controller::decode_state_secret(secret)) {
            const std::string parent = controller::labelled_parent(state->labels);
            const renderer::PodTraits* pods = renderer::find_pods(parent);
            const auto replica = controller::split_replica(state->name);
            if (pods != nullptr && !pods->keep_operator_name && replica.has_value()) {
                others.emplace(replica->set);
            }
        }
    }
    for (const std::string& set : others) {
        if (!moved.contains(set)) {
            context.say(fmt::format(
                "{}: the operator did not create it, and fails on its Secrets: remove its "
                "manifests, "
                "and keep the controller until `tailrender-runtime status` no longer shows it",
                set));
        }
    }
}

// Returns the end of the output. An operator that adopt has not stopped has to be started by
// whoever stopped it.
std::string what_is_next(const AdoptSnapshot& snapshot) {
    const Value deployment = find_operator(snapshot.deployments);
    const OperatorState state = operator_state(deployment);
    const bool is_ours_to_start =
        std::any_of(snapshot.secrets.begin(), snapshot.secrets.end(),
                    [](const Value& secret) { return name_of(secret) == kOperatorRecord; });
    const bool runs =
        state == OperatorState::Runs || (state == OperatorState::Stopped && is_ours_to_start);
    const std::string all =
        "done; now remove the rendered manifests from the repository of the cluster";
    return runs
               ? all
               : fmt::format("{}\n{}, then start the operator", describe_operator(deployment), all);
}

void go_back(const SharedReturn& back, const Next& done) {
    const OperateContext& context = back->context;
    // This is done first: if it were last and failed, the next run would find no record of it.
    std::vector<Job> jobs{forget_predecessor(context)};
    bool has_record = false;
    for (const Value& secret : back->snapshot.secrets) {
        has_record = has_record || name_of(secret) == kOperatorRecord;
        if (const auto record = decode_record(secret)) {
            has_record = true;
            jobs.push_back(move_back(back, *record));
        } else if (const std::string pod = moved_to(secret); !pod.empty()) {
            has_record = true;
            context.say(fmt::format("{} -> {}", pod, name_of(secret)));
            jobs.push_back(own_device_back(context, secret));
        } else if (is_taken(secret)) {
            has_record = true;
            context.say(name_of(secret) + ": is the operator's again");
            jobs.push_back(give_back(context, secret));
        }
    }
    if (!has_record) {
        return done(std::string(kNoRecord));
    }
    jobs.push_back(start_operator(context));
    name_new_ones(context, back->snapshot);
    run_in_order(std::move(jobs), [back, done](const std::string& problem) {
        if (!problem.empty()) {
            back->problems.push_back(problem);
        }
        if (back->problems.empty()) {
            back->context.say(what_is_next(back->snapshot));
        }
        done(fmt::format("{}", fmt::join(back->problems, "\n")));
    });
}

// Returns the patch that removes the configuration of k8s-proxy from a Secret whose other data is
// now rendered for tailrender-proxy. No pod reads it, and it may contain a key.
Value without_proxy_config(const Value& secret) {
    if (!controller::is_taken_by_the_renderer(secret) ||
        secret.at({"metadata", "labels", renderer::kSecretLabel}) != nullptr) {
        return {};
    }
    return Value::list({removal("/data/" + pointer(renderer::kConfigDatum))});
}

void forget(const SharedReturn& back, const Next& done) {
    const OperateContext& context = back->context;
    if (const auto own = plan_adoption(back->snapshot).own) {
        return done(fmt::format(
            "Secret \"{}\" has the operator's own device, which is meant for \"{}\": run "
            "adopt again, or delete the Secret",
            own->old_name, own->new_name));
    }
    std::vector<Job> records, leftovers;
    bool is_moved = false;
    for (const Value& secret : back->snapshot.secrets) {
        const std::string name = name_of(secret);
        const auto record = decode_record(secret);
        const bool has_moved = !moved_to(secret).empty();
        const bool is_open = record.has_value()
                                 ? record->is_open
                                 : is_taken(secret) && without_our_label(secret).is_null();
        if (is_open) {
            return done(fmt::format("{} is only partly moved: run adopt again",
                                    record.has_value() ? record->old_name : name));
        }
        is_moved = is_moved || has_moved;
        if (record.has_value() || name == kOperatorRecord || has_moved) {
            records.push_back(erase_object(context.kube, secret_path(context, name)));
        } else if (is_taken(secret)) {
            const std::string config = controller::auth_name(name, true);
            const Value* found = find_named(back->snapshot.secrets, config);
            if (found != nullptr && !without_proxy_config(*found).is_null()) {
                leftovers.push_back(change_object(context.kube, secret_path(context, config),
                                                  without_proxy_config));
            }
            records.push_back(
                change_object(context.kube, secret_path(context, name), forget_takeover));
        }
    }
    context.say(records.empty() ? std::string(kNoRecord)
                                : fmt::format("{} records", records.size()));
    const Value deployment = find_operator(back->snapshot.deployments);
    const std::string device = device_of_operator(deployment, back->snapshot.secrets);
    if (!records.empty() && !device.empty() && !is_moved) {
        context.say(fmt::format(
            "Secret \"{}\" and device {} in the tailnet are the operator's own: delete both "
            "unless you want it back",
            state_of_operator(deployment), device));
    }
    std::vector<Job> jobs;
    if (is_moved || !leftovers.empty()) {
        jobs.push_back(operator_must_rest(context));
    }
    jobs.push_back(in_order(std::move(leftovers)));
    jobs.push_back(in_order(std::move(records)));
    run_in_order(std::move(jobs), done);
}

void with_snapshot(const OperateContext& context, Next done,
                   void (*use)(const SharedReturn& back, const Next& done)) {
    const auto back = std::make_shared<Return>(Return{context, {}, {}});
    read_snapshot(context,
                  back->snapshot)([back, done = std::move(done), use](const std::string& problem) {
        problem.empty() ? use(back, done) : done(problem);
    });
}

}  // namespace

void roll_back(const OperateContext& context, Next done) {
    with_snapshot(context, std::move(done), go_back);
}

void finish(const OperateContext& context, Next done) {
    with_snapshot(context, std::move(done), forget);
}

}  // namespace runtime::adopt
