#include "runtime/adopt/adopt.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/document.h"
#include "renderer/core/text_of.h"
#include "runtime/adopt/adopt_move.h"
#include "runtime/adopt/adopt_plan.h"
#include "runtime/adopt/adopt_record.h"
#include "runtime/adopt/stock_operator.h"
#include "runtime/controller/view/objects.h"
#include "runtime/operate/kube_jobs.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::adopt {

using namespace operate;
using renderer::Kind;
using renderer::kind_of;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::size_t kAtATime = 5;  // proxies moved at once, each without a pod for a moment

struct Adoption {
    OperateContext context;
    AdoptOptions options;
    AdoptSnapshot snapshot;
    AdoptPlan plan;
    Objects objects;  // of the kind that is being changed
};
using SharedAdoption = std::shared_ptr<Adoption>;

// Returns the user's objects that still have children of the operator, as Kind/name or
// Kind/namespace/name.
std::set<std::string> parents_left(const AdoptPlan& plan) {
    std::set<std::string> out;
    const auto add = [&out](const auto& entry) {
        if (!entry.problem.empty()) {
            out.insert(entry.parent);
        }
    };
    std::for_each(plan.moves.begin(), plan.moves.end(), add);
    std::for_each(plan.services.begin(), plan.services.end(), add);
    return out;
}

std::string path_of_object(const Kind& kind, const Value& object) {
    return kube::path_of(kind, text_of(object.at({"metadata", "namespace"})), name_of(object));
}

// Returns the patch that removes owner references to custom resources, except to those in `kept`.
// When Git deletes the custom resource, the garbage collector would delete its children, which are
// rendered now.
Value without_owners(const Value& object, const std::set<std::string>& kept) {
    const Value* all = object.at({"metadata", "ownerReferences"});
    if (all == nullptr || !all->is_list()) {
        return {};
    }
    Value left = Value::list();
    for (const Value& owner : all->items()) {
        const std::string name =
            fmt::format("{}/{}", text_of(owner.find("kind")), text_of(owner.find("name")));
        const bool goes =
            text_of(owner.find("apiVersion")).starts_with(renderer::kOperatorDomain) &&
            !kept.contains(name);
        if (!goes) {
            left.append(owner.clone());
        }
    }
    return left == *all
               ? Value()
               : Value::list({operation("add", "/metadata/ownerReferences", std::move(left))});
}

// Lists a kind, then changes each object for which `change` returns operations.
Job change_all(const SharedAdoption& adoption, const Kind& kind, std::string_view ns,
               const Change& change) {
    const std::string path = kube::path_of(kind, ns);
    return [adoption, kind, path, change](const Next& next) {
        kube::Client& kube = adoption->context.kube;
        const auto list = kind.is_custom() ? list_custom : list_all;
        list(kube, path, adoption->objects)([=, &kube](const std::string& problem) {
            std::vector<Job> jobs;
            for (const Value& object : adoption->objects) {
                if (!change(object).is_null()) {
                    jobs.push_back(change_object(kube, path_of_object(kind, object), change));
                }
            }
            problem.empty() ? run_in_order(std::move(jobs), next) : next(problem);
        });
    };
}

// The operator must not run: it would add the references again. The same is true of its finalizers.
std::vector<Job> clear_owners(const SharedAdoption& adoption) {
    const auto change = [kept = parents_left(adoption->plan)](const Value& object) {
        return without_owners(object, kept);
    };
    std::vector<Job> jobs{operator_must_rest(adoption->context)};
    for (const Kind* kind :
         {&kube::kSecrets, &kube::kConfigMaps, &kube::kServices, &kind_of("ServiceAccount"),
          &kube::kStatefulSets, &kDeployments, &kind_of("Role"), &kind_of("RoleBinding")}) {
        jobs.push_back(change_all(adoption, *kind, adoption->context.ns, change));
    }
    return jobs;
}

std::vector<Job> clear_finalizers(const SharedAdoption& adoption) {
    std::vector<Job> jobs{operator_must_rest(adoption->context)};
    for (const Kind& kind : renderer::kKinds) {
        if (!kind.role.is_parent && !kind.is_custom()) {
            continue;
        }
        const auto change = [name = kind.name,
                             kept = parents_left(adoption->plan)](const Value& object) {
            const std::string_view ns = text_of(object.at({"metadata", "namespace"}));
            return kept.contains(renderer::object_name(name, ns, name_of(object)))
                       ? Value()
                       : without_finalizers(object);
        };
        jobs.push_back(change_all(adoption, kind, {}, change));
    }
    return jobs;
}

std::vector<Job> small_steps(const SharedAdoption& adoption) {
    std::vector<Job> jobs;
    for (const Takeover& takeover : adoption->plan.takeovers) {
        jobs.push_back(take_over(adoption->context, adoption->snapshot, takeover));
    }
    for (const GroupService& service : adoption->plan.services) {
        if (service.problem.empty()) {
            jobs.push_back(move_group_service(adoption->context, service));
        }
    }
    return jobs;
}

Job moves(const SharedAdoption& adoption) {
    return [adoption](const Next& next) {
        std::vector<Job> jobs;
        for (const Move& move : adoption->plan.moves) {
            if (move.problem.empty()) {
                jobs.push_back(move_proxy(adoption->context, adoption->snapshot, move));
            }
        }
        if (const auto& own = adoption->plan.own; own && own->problem.empty()) {
            jobs.push_back(move_own_device(adoption->context, adoption->snapshot, *own));
        }
        run_side_by_side(std::move(jobs), kAtATime, next);
    };
}

// Returns why nothing is changed, or "".
std::string objection(const Adoption& adoption) {
    const auto problems = adoption.plan.problems();
    if (problems.empty() || adoption.options.partial) {
        return {};
    }
    std::string out = fmt::format("{} cannot be moved, so nothing is changed:", problems.size());
    for (const std::string& problem : problems) {
        out += "\n  " + problem;
    }
    return out + "\n  --partial moves the rest; these then run without the operator";
}

// True if `roll_back` will find a record after this run.
bool can_go_back(const Adoption& adoption) {
    const AdoptPlan& plan = adoption.plan;
    const auto& secrets = adoption.snapshot.secrets;
    const auto is_record = [](const Value& secret) {
        return secret.at({"metadata", "labels", kRecordLabel}) != nullptr ||
               !controller::annotation_of(secret, renderer::kTakenAnnotation).empty() ||
               !controller::annotation_of(secret, kMovedAnnotation).empty();
    };
    return !plan.takeovers.empty() || (plan.own && plan.own->problem.empty()) ||
           operator_state(find_operator(adoption.snapshot.deployments)) == OperatorState::Runs ||
           std::any_of(plan.moves.begin(), plan.moves.end(),
                       [](const Move& move) { return move.problem.empty(); }) ||
           std::any_of(secrets.begin(), secrets.end(), is_record);
}

// Warns that the operator's Secret still has the device that the pod has now: both could run with
// it.
void warn_of_operator(const Adoption& adoption) {
    const auto warn = [&](std::string_view secret, std::string_view pod) {
        adoption.context.say(
            fmt::format("Secret \"{}\" still has the device of \"{}\": an operator that is started "
                        "before `tailrender-adopt --rollback` or `tailrender-adopt --finish` takes "
                        "it from that pod",
                        secret, pod));
    };
    if (const auto& own = adoption.plan.own; own && own->problem.empty()) {
        return warn(own->old_name, own->new_name);
    }
    for (const Value& secret : adoption.snapshot.secrets) {
        if (const std::string pod = controller::annotation_of(secret, kMovedAnnotation);
            !pod.empty()) {
            warn(name_of(secret), pod);
        }
    }
}

void begin_adoption(const SharedAdoption& adoption, const Next& done) {
    const OperateContext& context = adoption->context;
    adoption->plan = plan_adoption(adoption->snapshot);
    if (adoption->plan.empty()) {
        context.say("nothing left to move from the operator");
    } else {
        context.say(describe(adoption->plan));
    }
    const std::string problem = objection(*adoption);
    if (adoption->options.dry_run) {
        context.say(describe_operator(find_operator(adoption->snapshot.deployments)));
    }
    if (adoption->options.dry_run || !problem.empty()) {
        return done(problem);
    }
    std::vector<Job> jobs{stop_operator(context), note_predecessor(context)};
    for (auto* steps : {small_steps, clear_owners, clear_finalizers}) {
        for (Job& job : steps(adoption)) {
            jobs.push_back(std::move(job));
        }
        if (steps == small_steps) {
            jobs.push_back(moves(adoption));
        }
    }
    run_in_order(std::move(jobs), [adoption, done](const std::string& its_problem) {
        if (its_problem.empty()) {
            warn_of_operator(*adoption);
            adoption->context.say(can_go_back(*adoption)
                                      ? "done; `tailrender-adopt --rollback` can go back until "
                                        "`tailrender-adopt --finish` removes the records"
                                      : "done");
        }
        done(its_problem);
    });
}

}  // namespace

Job read_snapshot(const OperateContext& context, AdoptSnapshot& out) {
    kube::Client& kube = context.kube;
    return in_order({list_all(kube, kube::path_of(kube::kStatefulSets, context.ns), out.sets),
                     list_all(kube, kube::path_of(kDeployments, context.ns), out.deployments),
                     list_all(kube, kube::path_of(kube::kServices, context.ns), out.services),
                     list_all(kube, kube::path_of(kube::kSecrets, context.ns), out.secrets),
                     list_all(kube, kube::path_of(kube::kEndpointSlices, context.ns), out.slices),
                     list_all(kube, kube::path_of(kube::kServices, {}), out.user_services),
                     [ns = context.ns, &out](const Next& next) {
                         next(missing_installation(ns, out.deployments, out.sets, out.secrets));
                     }});
}

void adopt(const OperateContext& context, AdoptOptions options, Next done) {
    const auto adoption = std::make_shared<Adoption>(Adoption{context, options, {}, {}, {}});
    read_snapshot(context, adoption->snapshot)(
        [adoption, done = std::move(done)](const std::string& problem) {
            problem.empty() ? begin_adoption(adoption, done) : done(problem);
        });
}

}  // namespace runtime::adopt
