#include "runtime/proxy/live_forwarding.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/dns/schedule.h"

namespace runtime::proxy {

namespace {

std::vector<IpAddress> single_addresses(const localapi::TailnetNode& node) {
    std::vector<IpAddress> out;
    for (const IpPrefix& prefix : node.addresses) {
        if (prefix.is_one_address()) {
            out.push_back(prefix.address);
        }
    }
    return out;
}

}  // namespace

LiveForwarding::LiveForwarding(const Peers& peers, const Environment& environment,
                               const localapi::TailnetView& view, const GroupFiles& groups,
                               Listener listener)
    : peers_(peers),
      environment_(environment),
      view_(view),
      groups_(groups),
      rules_(peers.loop, peers.log, peers.random, peers.rules, std::move(listener.on_applied)),
      rule_watch_(peers.loop, [this] { rules_.disturbed(); }) {
    if (auto started = rule_watch_.start(); !started) {
        peers_.log.warning(started.error().diagnostic.message +
                           "; checking the rules every minute instead");
    }
    if (peers_.lookup != nullptr) {
        destination_ = std::make_unique<dns::ResolvedName>(
            peers_.loop, peers_.log, peers_.random, *peers_.lookup, environment_.dest_dns_name,
            dns::cluster_domain_of(environment_.dest_dns_name),
            [this, on_addresses =
                       std::move(listener.on_addresses)](const std::vector<IpAddress>& addresses) {
                destinations_ = addresses;
                on_addresses();
            });
    }
}

LiveForwarding::Planned LiveForwarding::plan(const localapi::TailnetNode& self) {
    ForwardingInput input;
    input.own = single_addresses(self);
    input.has_v6 = peers_.has_v6;
    input.destinations = destinations_;
    input.ingress = groups_.ingress();
    if (!find_target(input) || !are_destinations_known()) {
        return Planned::Unknown;
    }
    find_egress(input);
    ForwardingPlan plan = plan_forwarding(environment_, input);
    for (const std::string& warning : plan.warnings) {
        warn_once(warning);
    }
    if (!plan.failure.empty()) {
        failure_ = plan.failure;
        return Planned::Failed;
    }
    ensure_forwarding(plan.forwarding);
    programmed_ = std::move(plan.egress);
    is_planned_ = true;
    rules_.set(std::move(plan.forwarding));
    return Planned::Done;
}

// Enables forwarding for the IP families that the environment did not show at the start: those of
// names and of services of groups.
void LiveForwarding::ensure_forwarding(const nft::Forwarding& forwarding) {
    const nft::Families families = families_of(forwarding);
    if (environment_.userspace || (families.v4 <= forwarded_.v4 && families.v6 <= forwarded_.v6)) {
        return;
    }
    forwarded_ = families;
    if (auto enabled = nft::enable_forwarding(environment_.at_root(""), families); !enabled) {
        warn_once("Failed to enable IP forwarding: " + enabled.error().diagnostic.message);
    }
}

bool LiveForwarding::find_target(ForwardingInput& input) {
    const std::string& name = environment_.tailnet_target_fqdn;
    if (name.empty()) {
        return true;
    }
    if (auto found = view_.resolve(name)) {
        if (targets_ != *found) {
            targets_ = std::move(*found);
            peers_.log.info(fmt::format("Installing forwarding rules for destination {}", name));
        }
    } else {
        warn_once(found.error().diagnostic.message);
    }
    input.targets = targets_;
    return !targets_.empty();
}

void LiveForwarding::find_egress(ForwardingInput& input) {
    input.egress.services = groups_.egress();
    for (const auto& [name, service] : groups_.egress()) {
        std::vector<IpAddress>& addresses = input.egress.addresses[name];
        if (const auto literal = IpAddress::parse(service.target_ip)) {
            addresses = {*literal};
        } else if (auto found = view_.resolve(service.target_fqdn)) {
            addresses = std::move(*found);
        } else {
            warn_once(found.error().diagnostic.message);
        }
    }
}

void LiveForwarding::warn_once(const std::string& warning) {
    constexpr std::size_t kMost = 1000;
    if (warned_.size() < kMost && warned_.insert(warning).second) {
        peers_.log.warning(warning);
    }
}

}  // namespace runtime::proxy
