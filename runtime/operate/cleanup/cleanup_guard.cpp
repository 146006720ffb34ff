#include "runtime/operate/cleanup/cleanup_guard.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/view/objects.h"
#include "runtime/kube/lease.h"
#include "runtime/operate/operator_objects.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

// Returns a pod of a proxy, or "". A pod may outlive its StatefulSet, but not its state Secret.
std::string running_proxy(const Objects& sets, const Objects& pods, const Objects& secrets) {
    std::set<std::string> rendered, replicas;
    for (const Value& set : sets) {
        if (is_rendered(set)) {
            rendered.insert(name_of(set));
        }
    }
    for (const Value& secret : secrets) {
        if (controller::decode_state_secret(secret).has_value()) {
            replicas.insert(name_of(secret));
        }
    }
    for (const Value& pod : pods) {
        std::string name = name_of(pod);
        const auto replica = controller::split_replica(name);
        if (replicas.contains(name) ||
            (replica.has_value() && rendered.contains(std::string(replica->set)))) {
            return name;
        }
    }
    return {};
}

// Returns a StatefulSet of the operator whose move is not complete, or "": its device is also in a
// Secret of ours.
std::string operators_proxy(const Objects& sets, const Objects& secrets) {
    std::map<Labels, std::string> theirs;
    for (const Value& set : sets) {
        if (is_operators_set(set)) {
            theirs[parent_labels(set)] = name_of(set);
        }
    }
    theirs.erase(Labels());
    for (const Value& secret : secrets) {
        const auto set = theirs.find(parent_labels(secret));
        if (set != theirs.end() && controller::decode_state_secret(secret).has_value() &&
            !device_of(secret).empty()) {
            return set->second;
        }
    }
    return {};
}

std::string lease_holder(const Value& lease) {
    return std::string(text_of(lease.at({"spec", "holderIdentity"})));
}

std::string renewal_of(const Value& lease) {
    return std::string(text_of(lease.at({"spec", "renewTime"})));
}

}  // namespace

std::string cleanup_objection(const Objects& sets, const Objects& pods, const Objects& secrets,
                              bool force) {
    if (const std::string pod = force ? std::string() : running_proxy(sets, pods, secrets);
        !pod.empty()) {
        return fmt::format(
            "proxies are still running, such as pod \"{}\": remove the rendered manifests first, "
            "or use --force",
            pod);
    }
    const std::string set = operators_proxy(sets, secrets);
    return set.empty()
               ? std::string()
               : fmt::format(
                     "the operator's StatefulSet \"{}\" has a device that would be deleted: "
                     "complete tailrender-adopt or tailrender-adopt --rollback first, or delete "
                     "that StatefulSet",
                     set);
}

Job controller_must_rest(const OperateContext& context) {
    return [context](const Next& next) {
        const auto lease = std::make_shared<Value>();
        const Job read = read_object(
            context.kube, kube::path_of(kube::kLeases, context.ns, renderer::kLeaseName), *lease);
        read([context, next, lease, read](const std::string& problem) {
            const std::string holder = lease_holder(*lease);
            if (!problem.empty() || holder.empty()) {
                return next(problem);
            }
            context.say(fmt::format(
                "checking for {} s whether the controller ({}) is still running",
                std::chrono::duration_cast<std::chrono::seconds>(kube::kLeaseDuration).count(),
                holder));
            context.loop.after(
                kube::kLeaseDuration, [next, lease, read, seen = renewal_of(*lease)] {
                    read([next, lease, seen](const std::string& its_problem) {
                        const std::string now = lease_holder(*lease);
                        if (!its_problem.empty() || now.empty() || renewal_of(*lease) == seen) {
                            return next(its_problem);
                        }
                        next(fmt::format(
                            "the controller is still running ({}): scale its Deployment to "
                            "0 first, or use --force",
                            now));
                    });
                });
        });
    };
}

}  // namespace runtime::operate
