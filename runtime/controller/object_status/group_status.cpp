#include "runtime/controller/object_status/group_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/controller/decide.h"
#include "runtime/controller/object_status/proxy_status.h"

namespace runtime::controller {

using renderer::Value;

namespace {

std::string backends(const Backends& count) {
    return fmt::format("{}/{} proxy backends ready and advertising", count.ready, count.wanted);
}

Value port(int number) {
    return Value::map({{"port", number}, {"protocol", "TCP"}});
}

Value load_balancer(Value entries) {
    return Value::map({{"ingress", std::move(entries)}});
}

}  // namespace

Backends backends_of(const OfferedState& offer_state) {
    const Group& group = *offer_state.offered.group;
    Backends count{.ready = 0, .wanted = group.states.size()};
    for (std::size_t i = 0; i < group.states.size() && offer_state.registration.is_there; ++i) {
        const StateSecret* state = group.states[i];
        const bool is_live = is_up({.state = state, .pod = group.pods[i]});
        count.ready += is_live && std::count(state->services.begin(), state->services.end(),
                                             offer_state.offered.offer->name) > 0
                           ? 1
                           : 0;
    }
    return count;
}

bool lacks_https(const OfferedState& offer_state) {
    const Group& group = *offer_state.offered.group;
    bool is_off = false;
    for (std::size_t i = 0; i < group.states.size(); ++i) {
        is_off = is_off || has_no_https({.state = group.states[i], .pod = group.pods[i]});
    }
    return is_off && !offer_state.offered.offer->certificate.empty();
}

std::string full_name(const OfferedState& offer_state) {
    for (const AuthSecret* auth : offer_state.offered.group->auths) {
        const std::string_view name =
            auth == nullptr ? std::string_view() : auth->device_name.view();
        const std::size_t dot = name.find('.');
        if (dot == std::string_view::npos) {
            continue;
        }
        const std::string_view domain = name.substr(dot + 1);
        const std::string_view host = std::string_view(offer_state.offered.offer->name).substr(4);
        return fmt::format("{}.{}", host, domain);
    }
    return {};
}

StatusChange group_ingress_status(const OfferedState& offer_state) {
    const Offer& offer = *offer_state.offered.offer;
    Value entries = Value::list();
    if (backends_of(offer_state).ready > 0) {
        Value ports = Value::list();
        if (offer_state.has_certificate) {
            ports.append(port(443));
        }
        if (std::count(offer.ports.begin(), offer.ports.end(), "tcp:80") > 0) {
            ports.append(port(80));
        }
        if (ports.size() > 0) {
            entries.append(
                Value::map({{"hostname", offer.certificate}, {"ports", std::move(ports)}}));
        }
    }
    StatusChange change;
    change.fields.emplace_back("loadBalancer", load_balancer(std::move(entries)));
    return change;
}

StatusChange group_service_status(const Parent& service, const OfferedState& offer_state) {
    const Backends count = backends_of(offer_state);
    const bool is_served = count.ready > 0;
    StatusChange change;
    change.conditions.push_back(
        {.type = std::string(kServiceCondition),
         .is_true = is_served,
         .reason = is_served ? "IngressSvcConfigured" : "IngressSvcNoBackendsConfigured",
         .message = backends(count),
         .observes_generation = false});
    if (offer_state.registration.refusal.empty()) {
        change.conditions_to_remove.emplace_back(kServiceIsValid);
    } else {
        change.conditions.push_back({.type = std::string(kServiceIsValid),
                                     .is_true = false,
                                     .reason = "IngressSvcInvalid",
                                     .message = offer_state.registration.refusal,
                                     .observes_generation = false});
    }
    if (!is_our_load_balancer(service)) {
        return change;
    }
    Value entries = Value::list();
    const auto& addresses = offer_state.registration.addresses;
    const auto v4 = std::find_if(
        addresses.begin(), addresses.end(),
        [](const std::string& address) { return address.find(':') == std::string::npos; });
    if (is_served && v4 != addresses.end()) {
        Value entry = Value::map({{"ip", *v4}});
        put_if(entry, !full_name(offer_state).empty(), "hostname", Value(full_name(offer_state)));
        entries.append(std::move(entry));
    }
    change.fields.emplace_back("loadBalancer", load_balancer(std::move(entries)));
    return change;
}

StatusChange group_api_status(const OfferedState& offer_state) {
    const Backends count = backends_of(offer_state);
    const bool is_served = count.ready > 0;
    const bool is_valid = offer_state.registration.refusal.empty();
    StatusChange change;
    change.fields.emplace_back(
        "url", is_served ? Value("https://" + offer_state.offered.offer->certificate) : Value());
    change.conditions.push_back(
        {.type = "KubeAPIServerProxyConfigured",
         .is_true = is_served,
         .reason = is_served ? "KubeAPIServerProxyConfigured" : "KubeAPIServerProxyNoBackends",
         .message = backends(count)});
    if (!is_valid || offer_state.registration.is_there) {
        change.conditions.push_back(
            {.type = "KubeAPIServerProxyValid",
             .is_true = is_valid,
             .reason = is_valid ? "KubeAPIServerProxyValid" : "KubeAPIServerProxyInvalid",
             .message = is_valid ? "KubeAPIServerProxyValid" : offer_state.registration.refusal});
    }
    return change;
}

StatusChange group_unserved_status(const Parent& parent) {
    StatusChange change;
    if (parent.kind == "Service") {
        change.conditions_to_remove = {std::string(kServiceCondition),
                                       std::string(kServiceIsValid)};
    }
    if (has_our_class(parent)) {
        change.fields.emplace_back("loadBalancer", Value());
    }
    return change;
}

}  // namespace runtime::controller
