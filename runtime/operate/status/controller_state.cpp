#include "runtime/operate/status/controller_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/operate/operator_deployment.h"
#include "runtime/operate/operator_objects.h"
#include "runtime/operate/status/pod_state.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kRunning = "running";
constexpr std::string_view kNotRunning = "not running";
constexpr std::string_view kNotReady = "its pod is not ready";

struct LeaseState {
    std::string problem;  // "": someone holds it and has renewed it recently
    std::optional<Time> renewed;
};

LeaseState look_at_lease(const Objects& leases, Time now) {
    const auto lease = std::find_if(leases.begin(), leases.end(), [](const Value& one) {
        return name_of(one) == renderer::kLeaseName;
    });
    if (lease == leases.end()) {
        return {fmt::format("Lease \"{}\" does not exist", renderer::kLeaseName), std::nullopt};
    }
    const auto renewed = parse_time(text_of(lease->at({"spec", "renewTime"})));
    if (text_of(lease->at({"spec", "holderIdentity"})).empty() || !renewed.has_value()) {
        return {fmt::format("no one holds Lease \"{}\"", renderer::kLeaseName), renewed};
    }
    return {now - *renewed < kLeaseIsOld
                ? std::string()
                : fmt::format("Lease \"{}\" was last renewed at {}", renderer::kLeaseName,
                              format_seconds(*renewed)),
            renewed};
}

// Returns why there is no pod, such as a quota or a missing account.
std::string creation_problem(const Value& deployment) {
    const Value* conditions = deployment.at({"status", "conditions"});
    if (conditions != nullptr && conditions->is_list()) {
        for (const Value& condition : conditions->items()) {
            if (text_of(condition.find("type")) == "ReplicaFailure" &&
                text_of(condition.find("status")) == "True") {
                return ": " + first_sentence(text_of(condition.find("message")));
            }
        }
    }
    return {};
}

// Describes the pod that is not ready.
std::string describe_pod(const Value& deployment, const Listed& pods) {
    const auto own = pods_of(deployment, pods.objects);
    std::string progress;
    for (const Value* pod : own) {
        std::string trouble = pod_trouble(*pod);
        if (!trouble.empty()) {
            return "its pod: " + trouble;
        }
        progress = pod_progress(*pod);
    }
    if (own.empty()) {
        return "it has no pod" + creation_problem(deployment);
    }
    return progress.empty() ? std::string(kNotReady) : "its pod: " + progress;
}

}  // namespace

ControllerState controller_state(const Listed& deployments, const Listed& pods,
                                 const Listed& leases, Time now) {
    const bool knows_lease = leases.refusal.empty();
    const LeaseState lease = look_at_lease(leases.objects, now);
    const auto is = [&lease](std::string_view state, std::string reason = {}) {
        return ControllerState{state, std::move(reason), lease.renewed};
    };
    if (!deployments.refusal.empty()) {
        return !knows_lease ? is("unknown", "neither Deployments nor Leases can be listed")
               : lease.problem.empty() ? is(kRunning)
                                       : is(kNotRunning, lease.problem);
    }
    const Value deployment = find_controller(deployments.objects);
    const std::string its_name = fmt::format("Deployment \"{}\"", name_of(deployment));
    const OperatorState found = operator_state(deployment);
    if (found == OperatorState::Absent) {
        return is("not installed", "no Deployment runs it");
    }
    if (found != OperatorState::Replaced) {
        return is("not installed", its_name + " is the Tailscale operator's");
    }
    const std::int64_t wanted = replicas_of(deployment);
    if (wanted == 0) {
        return is(kNotRunning, its_name + " is scaled to 0");
    }
    const Value* ready = deployment.at({"status", "readyReplicas"});
    const std::int64_t count = ready == nullptr ? 0 : ready->as_int().value_or(0);
    std::string counts = fmt::format("{}: {} of {} ready", its_name, count, wanted);
    if (count == 0 && !pods.refusal.empty()) {
        return is(kNotRunning, counts);
    }
    if (count == 0) {
        const std::string pod = describe_pod(deployment, pods);
        const bool holds_lease = knows_lease && lease.problem.empty();
        return is(pod == kNotReady && holds_lease ? "starting" : kNotRunning, counts + "; " + pod);
    }
    return !knows_lease || lease.problem.empty()
               ? is(kRunning)
               : is(kNotRunning, counts + ", but " + lease.problem);
}

}  // namespace runtime::operate
