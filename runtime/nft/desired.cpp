#include "runtime/nft/desired.h"

#include <fmt/format.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <net/if.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "renderer/base/check.h"

namespace runtime::nft {

namespace {

constexpr std::int32_t kMangle = -150, kDstNat = -100, kSrcNat = 100;  // nft(8), "priority"
constexpr std::uint32_t kIpv4 = 2, kIpv6 = 10;                         // NFPROTO_*
constexpr std::string_view kSyn = "\x02";

Rule operator+(Rule rule, const Rule& more) {
    rule.insert(rule.end(), more.begin(), more.end());
    return rule;
}

std::string interface_bytes(const std::string& name) {
    CHECK(name.size() < IFNAMSIZ);
    return name + std::string(IFNAMSIZ - name.size(), '\0');
}

Rule interface_is(Meta which, const std::string& name) {
    return {LoadMeta{.key = which}, Compare{.bytes = interface_bytes(name)}};
}

Rule not_from(const std::string& tunnel) {
    return {LoadMeta{.key = Meta::Iifname},
            Compare{.negated = true, .bytes = interface_bytes(tunnel)}};
}

// The targets of each key of a map. If a key has several, each connection gets a random one.
using Spread = std::map<std::string, std::vector<std::string>>;

// How packets are looked up in a map. `load` loads the key, from register 0 on.
struct Lookup {
    std::string name = {};  // of the map
    MapType type = {};
    Rule load = {};
    Nat nat = {};
};

Lookup by_port(bool v6) {
    return {.name = v6 ? "egress6" : "egress4",
            .type = {.key = {Part::Protocol, Part::Port},
                     .value = {v6 ? Part::Ipv6 : Part::Ipv4, Part::Port}},
            .load = {LoadMeta{.key = Meta::L4Proto},
                     LoadPayload{.header = Header::Transport, .offset = 2, .size = 2, .to = 1}},
            .nat = {.v6 = v6, .has_port = true, .port = static_cast<Register>(v6 ? 4 : 1)}};
}

Lookup by_address(bool v6) {
    const Part address = v6 ? Part::Ipv6 : Part::Ipv4;
    return {
        .name = v6 ? "ingress6" : "ingress4",
        .type = {.key = {address}, .value = {address}},
        .load = {LoadMeta{.key = Meta::NfProto},
                 Compare{.bytes = std::string(1, static_cast<char>(v6 ? kIpv6 : kIpv4))},
                 LoadPayload{
                     .header = Header::Network, .offset = v6 ? 24U : 16U, .size = v6 ? 16U : 4U}},
        .nat = {.v6 = v6}};
}

Lookup by_chance(bool v6) {
    return {.name = v6 ? "any6" : "any4",
            .type = {.value = {v6 ? Part::Ipv6 : Part::Ipv4}},
            .nat = {.v6 = v6}};
}

class Builder {
public:
    explicit Builder(const Forwarding& forwarding) : forwarding_(forwarding) {
        ruleset_.chains = {
            {.name = "forward",
             .hook = {.type = "filter", .hook = NF_INET_FORWARD, .priority = kMangle}},
            {.name = "postrouting",
             .hook = {.type = "nat", .hook = NF_INET_POST_ROUTING, .priority = kSrcNat - 1}},
            {.name = "prerouting",
             .hook = {.type = "nat", .hook = NF_INET_PRE_ROUTING, .priority = kDstNat - 1}}};
    }

    Ruleset build() && {
        clamp_mss();
        for (const bool v6 : {false, true}) {
            forward_ports(v6);
            forward_addresses(v6);
            forward_rest(v6);
        }
        std::sort(ruleset_.maps.begin(), ruleset_.maps.end(),
                  [](const Map& a, const Map& b) { return a.name < b.name; });
        return std::move(ruleset_);
    }

private:
    std::vector<Rule>& forward() { return ruleset_.chains[0].rules; }
    std::vector<Rule>& postrouting() { return ruleset_.chains[1].rules; }
    std::vector<Rule>& prerouting() { return ruleset_.chains[2].rules; }

    [[nodiscard]] std::optional<IpAddress> own(bool v6) const {
        for (const IpAddress& address : forwarding_.own) {
            if (address.is_v6() == v6) {
                return address;
            }
        }
        return {};
    }

    static std::vector<std::string> of_family(const std::vector<IpAddress>& addresses, bool v6,
                                              std::string_view suffix) {
        std::vector<std::string> found;
        for (const IpAddress& address : addresses) {
            if (address.is_v6() == v6) {
                found.push_back(std::string(address.bytes()).append(suffix));
            }
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    // Clamps SYN packets in both directions, since either side may open a forwarded connection. The
    // kernel never raises an MSS.
    void clamp_mss() {
        for (const Meta which : {Meta::Iifname, Meta::Oifname}) {
            forward().push_back(
                interface_is(which, forwarding_.tunnel) +
                Rule{LoadMeta{.key = Meta::L4Proto},
                     Compare{.bytes = {static_cast<char>(Protocol::Tcp)}},
                     LoadPayload{.header = Header::Transport, .offset = 13, .size = 1},
                     And{.mask = std::string(kSyn)}, Compare{.negated = true, .bytes = {'\0'}},
                     LoadRouteMss{}, ToWireOrder{}, SetTcpMss{}});
        }
    }

    // Replies from the tailnet have to come back to this device, whichever pod opened the
    // connection.
    void translate_source(const IpAddress& own) {
        postrouting().push_back(interface_is(Meta::Oifname, forwarding_.tunnel) +
                                Rule{LoadCtStatus{}, And{.mask = number_part(IPS_DST_NAT)},
                                     Compare{.negated = true, .bytes = number_part(0)},
                                     Immediate{.bytes = std::string(own.bytes())},
                                     Nat{.source = true, .v6 = own.is_v6()}});
    }

    void forward_ports(bool v6) {
        const auto source = own(v6);
        if (!source || (forwarding_.egress_ports.empty() && forwarding_.egress_targets.empty())) {
            return;
        }
        translate_source(*source);
        Spread spread;
        for (const EgressPort& port : forwarding_.egress_ports) {
            spread.try_emplace(protocol_part(static_cast<std::uint8_t>(port.protocol)) +
                                   port_part(port.match_port),
                               of_family(port.targets, v6, port_part(port.target_port)));
        }
        add(by_port(v6), not_from(forwarding_.tunnel), spread);
    }

    void forward_addresses(bool v6) {
        Spread spread;
        for (const IngressService& service : forwarding_.ingress_services) {
            if (service.vip.is_v6() == v6) {
                spread.try_emplace(std::string(service.vip.bytes()),
                                   of_family({service.cluster_ip}, v6, {}));
            }
        }
        if (const auto address = own(v6)) {
            for (const std::string& pod : of_family(forwarding_.via_ingress, v6, {})) {
                spread.try_emplace(pod, of_family({*address}, v6, {}));
            }
            spread.try_emplace(std::string(address->bytes()),
                               of_family(forwarding_.ingress_targets, v6, {}));
        }
        add(by_address(v6), {}, spread);
    }

    void forward_rest(bool v6) {
        if (!own(v6)) {
            return;
        }
        const auto targets = of_family(forwarding_.egress_targets, v6, {});
        if (targets.size() == 1) {
            prerouting().push_back(not_from(forwarding_.tunnel) +
                                   Rule{Immediate{.bytes = targets[0]}, Nat{.v6 = v6}});
            return;
        }
        add(by_chance(v6), not_from(forwarding_.tunnel), {{"", targets}});
    }

    // Adds one map and one rule for each number of targets that a key has.
    void add(const Lookup& lookup, const Rule& condition, const Spread& spread) {
        std::map<std::size_t, std::vector<Element>> by_count;
        for (const auto& [key, values] : spread) {
            for (std::uint32_t i = 0; i < values.size(); ++i) {
                by_count[values.size()].push_back(
                    {.key = values.size() == 1 ? key : key + number_part(i), .value = values[i]});
            }
        }
        for (auto& [count, elements] : by_count) {
            std::sort(elements.begin(), elements.end(),
                      [](const Element& a, const Element& b) { return a.key < b.key; });
            Map map{.name = lookup.name, .type = lookup.type, .elements = std::move(elements)};
            Rule load = lookup.load;
            if (count > 1) {
                map.name += fmt::format("_{}", count);
                load.push_back(LoadRandom{.below = static_cast<std::uint32_t>(count),
                                          .to = static_cast<Register>(size_of(map.type.key) / 4)});
                map.type.key.push_back(Part::Number);
            }
            prerouting().push_back(condition + load + Rule{LookUp{.map = map.name}, lookup.nat});
            ruleset_.maps.push_back(std::move(map));
        }
    }

    const Forwarding& forwarding_;
    Ruleset ruleset_;
};

}  // namespace

Ruleset desired(const Forwarding& forwarding) {
    return Builder(forwarding).build();
}

}  // namespace runtime::nft
