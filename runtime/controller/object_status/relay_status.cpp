#include "runtime/controller/object_status/relay_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/base/log.h"

namespace runtime::controller {

using renderer::Value;

namespace {

Condition not_ready(std::string_view reason, std::string message) {
    return {.type = std::string(kRelayCondition),
            .reason = std::string(reason),
            .message = std::move(message)};
}

int replicas_of(const Parent& relay) {
    const Value* replicas = relay.spec.find("replicas");
    return replicas == nullptr ? 1 : static_cast<int>(replicas->as_int().value_or(1));
}

// Returns the fault of the object itself, whatever is rendered; without a reason if it has none.
Condition fault_of(const Parent& relay) {
    const int replicas = replicas_of(relay);
    const Value* aws = relay.spec.find("aws");
    if (aws != nullptr && aws->is_map()) {
        const std::size_t entries = renderer::items_of(aws->find("elasticIPs")).size();
        if (entries < static_cast<std::size_t>(std::max(replicas, 0))) {
            return not_ready(
                "AWSConfigInvalid",
                fmt::format("spec.aws.elasticIPs has {} entries but spec.replicas is {}", entries,
                            replicas));
        }
    }
    const Value* fixed = relay.spec.find("staticEndpoints");
    std::string problem = fixed == nullptr ? std::string() : static_endpoints_problem(*fixed);
    const std::string_view reason = problem.empty() ? "" : "StaticEndpointsInvalid";
    return not_ready(reason, std::move(problem));
}

Condition readiness(const RelayState& state, int replicas) {
    const auto addressed = std::ranges::count_if(
        state.endpoints, [](const auto& endpoints) { return !endpoints.empty(); });
    if (!state.is_rendered || addressed < replicas) {
        return not_ready("EndpointsPending",
                         fmt::format("{} of {} replicas have an endpoint", addressed, replicas));
    }
    if (state.joined < replicas) {
        return not_ready("PodsPending",
                         fmt::format("{} of {} pods are ready", state.joined, replicas));
    }
    return {.type = std::string(kRelayCondition),
            .is_true = true,
            .reason = std::string(kRelayCondition),
            .message = std::string(kRelayCondition)};
}

Value endpoints_value(const std::vector<std::vector<Endpoint>>& replicas) {
    Value list = Value::list();
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        for (const Endpoint& endpoint : replicas[i]) {
            list.append(Value::map({{"replica", static_cast<int>(i)},
                                    {"address", endpoint.address},
                                    {"port", endpoint.port}}));
        }
    }
    return list;
}

}  // namespace

StatusChange relay_status(const Parent& relay, const RelayState& state) {
    StatusChange change;
    if (!state.tailnet_problem.empty()) {
        change.conditions.push_back(not_ready("TailnetUnavailable", redact(state.tailnet_problem)));
        return change;
    }
    if (Condition fault = fault_of(relay); !fault.reason.empty()) {
        change.conditions.push_back(std::move(fault));
        return change;
    }
    const int replicas =
        state.is_rendered ? static_cast<int>(state.endpoints.size()) : replicas_of(relay);
    change.fields.emplace_back("endpoints", endpoints_value(state.endpoints));
    change.conditions.push_back(readiness(state, replicas));
    return change;
}

}  // namespace runtime::controller
