#include "runtime/proxy/forwarding.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/split.h"
#include "runtime/proxy/go_text.h"

namespace runtime::proxy {

namespace {

const IpAddress* own_of_family(const ForwardingInput& input, bool v6) {
    const auto found = std::find_if(input.own.begin(), input.own.end(),
                                    [v6](const IpAddress& own) { return own.is_v6() == v6; });
    return found == input.own.end() ? nullptr : &*found;
}

std::vector<IpAddress> one_of_each_family(const ForwardingInput& input) {
    std::vector<IpAddress> out;
    for (const bool v6 : {false, true}) {
        if (const IpAddress* own = own_of_family(input, v6)) {
            out.push_back(*own);
        }
    }
    return out;
}

// Returns the addresses that can be reached from here, and adds a warning for each of the others.
std::vector<IpAddress> reachable(const std::vector<IpAddress>& addresses,
                                 const ForwardingInput& input, std::vector<std::string>& warnings) {
    std::vector<IpAddress> out;
    for (const IpAddress& address : addresses) {
        if (address.is_v6() && !input.has_v6) {
            warnings.push_back(fmt::format(
                "{} is an IPv6 address, but this host does not support IPv6; skipping it",
                address.text()));
        } else if (!input.own.empty() && own_of_family(input, address.is_v6()) == nullptr) {
            warnings.push_back(fmt::format(
                "{} cannot be reached: this device has no tailnet address of its family",
                address.text()));
        } else {
            out.push_back(address);
        }
    }
    return out;
}

std::string prefixes_of(const std::vector<IpAddress>& addresses) {
    std::vector<std::string> out;
    std::transform(addresses.begin(), addresses.end(), std::back_inserter(out),
                   [](const IpAddress& address) { return IpPrefix::of(address).text(); });
    return fmt::format("[{}]", fmt::join(out, " "));
}

std::vector<IpAddress> parsed(const std::string& text) {
    const auto address = IpAddress::parse(text);
    return address ? std::vector{*address} : std::vector<IpAddress>();
}

renderer::Error invalid(std::string_view what, std::string_view text) {
    return {{.rule = "invalid-environment",
             .message = fmt::format("Failed to enable IP forwarding: invalid {}: {}", what,
                                    quote_go(text))}};
}

EgressTargets reachable_targets(const ForwardingInput& input, std::vector<std::string>& warnings) {
    EgressTargets out = input.egress;
    for (auto& [service, addresses] : out.addresses) {
        addresses = reachable(addresses, input, warnings);
    }
    return out;
}

}  // namespace

ForwardingPlan plan_forwarding(const Environment& environment, const ForwardingInput& input) {
    ForwardingPlan out;
    nft::Forwarding& to = out.forwarding;
    to.own = one_of_each_family(input);
    const std::vector<IpAddress> destinations =
        environment.dest_ip.empty() ? input.destinations : parsed(environment.dest_ip);
    to.ingress_targets = reachable(destinations, input, out.warnings);
    const std::vector<IpAddress> targets = environment.tailnet_target_ip.empty()
                                               ? input.targets
                                               : parsed(environment.tailnet_target_ip);
    to.egress_targets = reachable(targets, input, out.warnings);
    if (!targets.empty() && to.egress_targets.empty()) {
        out.failure = fmt::format(
            "no forwarding rules for egress addresses {}, host supports "
            "IPv6: {}",
            prefixes_of(targets), input.has_v6);
    }
    out.egress = reachable_targets(input, out.warnings);
    to.egress_ports = egress_ports(out.egress, out.warnings);
    to.ingress_services = input.ingress.pairs;
    if (environment.cluster_traffic_via_ingress) {
        to.via_ingress = parsed(environment.pod_ip);
    }
    return out;
}

nft::Families families_of(const nft::Forwarding& forwarding) {
    std::vector<IpAddress> all = forwarding.ingress_targets;
    all.insert(all.end(), forwarding.egress_targets.begin(), forwarding.egress_targets.end());
    all.insert(all.end(), forwarding.via_ingress.begin(), forwarding.via_ingress.end());
    for (const nft::EgressPort& port : forwarding.egress_ports) {
        all.insert(all.end(), port.targets.begin(), port.targets.end());
    }
    for (const nft::IngressService& service : forwarding.ingress_services) {
        all.push_back(service.cluster_ip);
    }
    return nft::families_of(all);
}

renderer::Result<nft::Families> needed_families(const Environment& environment) {
    nft::Families out;
    const auto add = [&out](const IpAddress& address) {
        (address.is_v6() ? out.v6 : out.v4) = true;
    };
    for (const auto& [text, what] :
         {std::pair(&environment.dest_ip, "cluster destination IP"),
          std::pair(&environment.tailnet_target_ip, "tailnet destination IP")}) {
        const auto address = IpAddress::parse(*text);
        if (!text->empty() && !address) {
            return invalid(what, *text);
        }
        if (address) {
            add(*address);
        }
    }
    const std::string routes = environment.routes.value_or("");
    for (const std::string_view route : renderer::split(routes, ',')) {
        const auto prefix = IpPrefix::parse(route);
        if (!prefix || route.find('/') == std::string_view::npos) {
            return invalid("subnet route", route);
        }
        add(prefix->address);
    }
    out.v4 = out.v4 || !environment.tailnet_target_fqdn.empty();
    return out;
}

}  // namespace runtime::proxy
