#include "renderer/access/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace renderer::access {
namespace {

using EndpointKind = Endpoint::Kind;

bool shares(const std::vector<std::string>& one, const std::vector<std::string>& two) {
    return std::ranges::any_of(
        one, [&](const std::string& text) { return std::ranges::find(two, text) != two.end(); });
}

Target target_of(const Device& device, const Endpoint& endpoint) {
    switch (endpoint.kind) {
        case EndpointKind::Route:
            return {.kind = Target::Kind::Addresses, .addresses = endpoint.addresses};
        case EndpointKind::ExitNode:
            return {.kind = Target::Kind::Internet};
        case EndpointKind::AppConnector:
            return {.kind = Target::Kind::AppConnector};
        case EndpointKind::Port:
        case EndpointKind::AllPorts:
            break;
    }
    return {.kind = device.name.starts_with(kServicePrefix) ? Target::Kind::Service
                                                            : Target::Kind::Device,
            .name = device.name,
            .tags = device.tags};
}

constexpr Traffic kAllTraffic = {};

Match match_one(const Traffic& allowed, const Traffic& wanted) {
    const bool has_default = wanted.protocol < 0 || wanted.protocol == kTcp ||
                             wanted.protocol == kUdp || wanted.protocol == kIcmp ||
                             wanted.protocol == kIcmp6;
    const bool has_protocol =
        allowed.protocol < 0 ? has_default : allowed.protocol == wanted.protocol;
    if (has_protocol && allowed.first <= wanted.first && wanted.last <= allowed.last) {
        return Match::Yes;
    }
    const bool overlaps = (has_protocol || wanted.protocol < 0) && allowed.first <= wanted.last &&
                          wanted.first <= allowed.last;
    return overlaps ? Match::Part : Match::No;
}

// Returns Part if some of what is wanted is allowed.
Match match_traffic(const std::vector<Traffic>& traffic, const Traffic& wanted) {
    Match best = Match::No;
    for (const Traffic& allowed : traffic) {
        best = std::max(best, match_one(allowed, wanted));
    }
    return best;
}

// Returns the ports and addresses to which a rule limits the access.
std::vector<std::string> parts_of(const Destination& destination, Match traffic, Match place) {
    std::vector<std::string> ports;
    for (const Traffic& one : destination.traffic) {
        if (traffic == Match::Part) {
            ports.push_back(traffic_text(one));
        }
    }
    if (place != Match::Part) {
        return ports;
    }
    const std::string& address = destination.selector.text;
    return {ports.empty() ? address : fmt::format("{} {}", address, fmt::join(ports, ","))};
}

// Returns the same as sets.
std::vector<Piece> pieces_of(const Destination& destination, Match traffic, Match place) {
    const AddressSet addresses =
        place == Match::Part ? destination.selector.addresses : AddressSet();
    std::vector<Piece> pieces;
    for (const Traffic& one : destination.traffic) {
        if (traffic == Match::Part || place == Match::Part) {
            pieces.push_back({one, addresses});
        }
    }
    return pieces;
}

// Joins answers for parts of one question.
Match join(const std::vector<Match>& answers) {
    const auto [least, most] = std::ranges::minmax(answers);
    return least == most || most == Match::Unknown ? most : Match::Part;
}

// Whether a device meets a condition is not known.
Match unless_conditional(Match match, const std::vector<std::string>& postures) {
    return postures.empty() ? match : std::min(match, Match::Unknown);
}

// A rule with `via` is for what is behind routers with its tags.
Match match_via(const Rule& rule, const Device& device, const Endpoint& endpoint) {
    if (rule.via.empty()) {
        return Match::Yes;
    }
    if (endpoint.kind == EndpointKind::Port || endpoint.kind == EndpointKind::AllPorts) {
        return Match::No;
    }
    return shares(rule.via, device.tags) ? Match::Yes : Match::No;
}

template <typename T>
void sort_unique(std::vector<T>& all) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Joins what several rules say about one source.
std::vector<Access> merged(std::vector<Access> all) {
    std::ranges::stable_sort(
        all, [](const Access& a, const Access& b) { return key_of(a) < key_of(b); });
    std::vector<Access> kept;
    for (Access& access : all) {
        if (kept.empty() || key_of(kept.back()) != key_of(access)) {
            kept.push_back(std::move(access));
            continue;
        }
        Access& known = kept.back();
        known.match = std::max(known.match, access.match);
        known.parts.insert(known.parts.end(), access.parts.begin(), access.parts.end());
        known.pieces.insert(known.pieces.end(), access.pieces.begin(), access.pieces.end());
        known.rules.push_back(access.rules.front());
    }
    for (Access& access : kept) {
        sort_unique(access.parts);
        sort_unique(access.rules);  // all are in one list
        if (access.match == Match::Yes) {
            access.parts.clear();
            access.pieces.clear();
        }
    }
    return kept;
}

// Returns the rule of a policy that has none, which allows everything.
const Rule& default_rule() {
    static const Rule rule{.section = "default",
                           .sources = {{.text = "*"}},
                           .destinations = {{.selector = {.text = "*"}, .traffic = {Traffic{}}}}};
    return rule;
}

std::string key_of(const Device& device, const Endpoint& endpoint) {
    const bool is_service = device.name.starts_with(kServicePrefix);
    const bool is_port =
        endpoint.kind == EndpointKind::Port || endpoint.kind == EndpointKind::AllPorts;
    return fmt::format("{} {} {} {} {}{} {}", static_cast<int>(endpoint.kind), endpoint.protocol,
                       endpoint.port, is_service ? device.name : "", endpoint.is_funnel ? "f" : "",
                       endpoint.is_public ? "p" : "", fmt::join(device.tags, ",")) +
           (is_port ? "" : " " + endpoint.label);
}

}  // namespace

Evaluator::Evaluator(const Policy& policy) : policy_(policy) {
    const auto add = [this](const Rule& rule) {
        for (const Destination& destination : rule.destinations) {
            const Selector& selector = destination.selector;
            const Candidate one{&rule, &destination};
            all_.push_back(one);
            if (selector.kind == SelectorKind::Tag || selector.kind == SelectorKind::Service) {
                by_name_[selector.text].push_back(one);
                continue;
            }
            others_.push_back(one);
            const Match device = match_destination(selector, {.tags = {}}, policy_);
            if (device == Match::Unknown) {
                of_addresses_.push_back(one);
            } else if (device != Match::No) {
                of_all_devices_.push_back(one);
            }
        }
    };
    std::ranges::for_each(policy.rules, add);
    if (policy.allows_all) {
        add(default_rule());
    }
}

std::vector<Evaluator::Candidate> Evaluator::candidates(const Target& target) const {
    const bool is_device =
        target.kind == Target::Kind::Device || target.kind == Target::Kind::Service;
    std::vector<Candidate> all = is_device ? of_all_devices_ : others_;
    std::vector<std::string> names = target.tags;
    names.push_back(target.name);
    for (const std::string& name : names) {
        if (const auto found = by_name_.find(name); found != by_name_.end()) {
            all.insert(all.end(), found->second.begin(), found->second.end());
        }
    }
    return all;
}

std::vector<Access> Evaluator::find_access(const Device& device, const Endpoint& endpoint) const {
    std::vector<Access> all;
    const Target target = target_of(device, endpoint);
    const bool may_use_funnel = std::ranges::any_of(policy_.funnel, [&](const Selector& selector) {
        return match_destination(selector, target, policy_) == Match::Yes;
    });
    if (endpoint.is_public || (endpoint.is_funnel && may_use_funnel)) {
        static const Selector internet{.kind = SelectorKind::Everything,
                                       .text = std::string(kInternet)};
        static const Rule by_balancer{.section = "load balancer"};
        static const Rule by_funnel{.section = "nodeAttrs"};
        all.push_back(
            {.who = &internet, .rules = {endpoint.is_public ? &by_balancer : &by_funnel}});
    }
    const Traffic wanted = traffic_of(endpoint);
    for (const Candidate& one : candidates(target)) {
        const Match ports = match_traffic(one.destination->traffic, wanted);
        const Match place = match_destination(one.destination->selector, target, policy_);
        const Match match = std::min({ports, place, match_via(*one.rule, device, endpoint)});
        if (match == Match::No) {
            continue;
        }
        const std::vector<std::string> parts = parts_of(*one.destination, ports, place);
        const std::vector<Piece> pieces = pieces_of(*one.destination, ports, place);
        for (const Selector& source : one.rule->sources) {
            all.push_back({.who = &source,
                           .match = match,
                           .postures = one.rule->postures,
                           .parts = parts,
                           .pieces = pieces,
                           .rules = {one.rule}});
        }
    }
    return merged(std::move(all));
}

const std::vector<const Rule*>& Evaluator::unknown_rules(const Endpoint& endpoint) {
    const bool is_port =
        endpoint.kind == EndpointKind::Port || endpoint.kind == EndpointKind::AllPorts;
    const Traffic wanted = traffic_of(endpoint);
    const auto [place, is_new] =
        unknown_.try_emplace({is_port, wanted.protocol, wanted.first, wanted.last});
    for (const Candidate& one : is_new&& is_port ? of_addresses_ : std::vector<Candidate>()) {
        const bool is_wanted = match_traffic(one.destination->traffic, wanted) != Match::No;
        if (is_wanted && one.rule->via.empty()) {
            place->second.push_back(one.rule);
        }
    }
    return place->second;
}

const std::vector<Access>& Evaluator::who_reaches(const Device& device, const Endpoint& endpoint) {
    const auto [place, is_new] = known_.try_emplace(key_of(device, endpoint));
    if (is_new) {
        place->second = find_access(device, endpoint);
    }
    return place->second;
}

std::vector<Role> Evaluator::roles(const Device& device) const {
    const Target target{.kind = Target::Kind::Device, .tags = device.api_tags};
    std::map<std::pair<std::string, std::vector<std::string>>, Role> found;
    for (const Candidate& one : candidates(target)) {
        if (one.rule->roles.empty() || device.api_tags.empty() ||
            match_destination(one.destination->selector, target, policy_) != Match::Yes) {
            continue;
        }
        for (const Selector& source : one.rule->sources) {
            Role& role = found[{source.text, one.rule->postures}];
            role.who = &source;
            role.postures = one.rule->postures;
            role.rules.push_back(one.rule);
            for (const KubernetesRole& granted : one.rule->roles) {
                role.groups.insert(role.groups.end(), granted.groups.begin(), granted.groups.end());
                role.recorders.insert(role.recorders.end(), granted.recorders.begin(),
                                      granted.recorders.end());
                role.enforces_recorder = role.enforces_recorder || granted.enforces_recorder;
            }
        }
    }
    std::vector<Role> roles;
    for (auto& [key, role] : found) {
        sort_unique(role.groups);
        sort_unique(role.recorders);
        sort_unique(role.rules);
        roles.push_back(std::move(role));
    }
    return roles;
}

Match Evaluator::reaches(const Selector& who, const Device& device, const Endpoint& endpoint) {
    Match best = Match::No;
    for (const Access& access : who_reaches(device, endpoint)) {
        const Match match = std::min(match_source(*access.who, who, policy_), access.match);
        best = std::max(best, unless_conditional(match, access.postures));
    }
    return best == Match::No && may_be(who, unknown_rules(endpoint)) ? Match::Unknown : best;
}

bool Evaluator::may_be(const Selector& who, const std::vector<const Rule*>& rules) {
    const auto [place, is_new] = sources_.try_emplace({&rules, who.text});
    if (is_new) {
        place->second = std::ranges::any_of(rules, [&](const Rule* rule) {
            return std::ranges::any_of(rule->sources, [&](const Selector& source) {
                return match_source(source, who, policy_) != Match::No;
            });
        });
    }
    return place->second;
}

Match Evaluator::has(const Selector& who, const Role& role) const {
    return unless_conditional(match_source(*role.who, who, policy_), role.postures);
}

Match Evaluator::may_leave(const Egress& egress) const {
    std::vector<Match> answers;
    for (const Traffic& wanted : egress.ports.empty() ? std::vector{kAllTraffic} : egress.ports) {
        answers.push_back(may_send(egress, wanted));
    }
    return join(answers);
}

Match Evaluator::may_send(const Egress& egress, const Traffic& wanted) const {
    const Target target{.kind = Target::Kind::Addresses, .addresses = egress.addresses};
    Match best = Match::No;
    for (const Candidate& one : all_) {
        Match source = Match::No;
        for (const Selector& selector : one.rule->sources) {
            for (const std::string& tag : egress.tags) {
                source = std::max(
                    source,
                    match_source(selector, {.kind = SelectorKind::Tag, .text = tag}, policy_));
            }
        }
        const Selector& selector = one.destination->selector;
        // What address a name has is not known.
        const Match place = !egress.addresses.empty() ? match_destination(selector, target, policy_)
                            : selector.kind == SelectorKind::Everything ? Match::Yes
                                                                        : Match::Unknown;
        Match match = std::min({source, place, match_traffic(one.destination->traffic, wanted)});
        if (!one.rule->via.empty()) {
            match = std::min(match, Match::Unknown);
        }
        best = std::max(best, unless_conditional(match, one.rule->postures));
    }
    return best;
}

Match Evaluator::reaches(const Selector& who, const Destination& destination) const {
    const Selector& selector = destination.selector;
    Target target{.kind = Target::Kind::Others, .others = selector};
    if (selector.kind == SelectorKind::Tag) {
        target = {.kind = Target::Kind::Device, .tags = {selector.text}};
    } else if (selector.kind == SelectorKind::Service) {
        target = {.kind = Target::Kind::Service, .name = selector.text};
    } else if (selector.kind == SelectorKind::Addresses) {
        target = {.kind = Target::Kind::Addresses, .addresses = selector.addresses};
    }
    std::vector<Match> answers;
    for (const Traffic& wanted : destination.traffic) {
        Match best = Match::No;
        for (const Candidate& one : all_) {
            const Match place =
                std::min(match_destination(one.destination->selector, target, policy_),
                         match_traffic(one.destination->traffic, wanted));
            for (const Selector& source : one.rule->sources) {
                const Match match = std::min(match_source(source, who, policy_), place);
                best = std::max(best, unless_conditional(match, one.rule->postures));
            }
        }
        answers.push_back(best);
    }
    return join(answers);
}

Traffic traffic_of(const Endpoint& endpoint) {
    return endpoint.kind == EndpointKind::Port
               ? Traffic{endpoint.protocol, endpoint.port, endpoint.port}
               : kAllTraffic;
}

std::string who_text(std::string_view who, const std::vector<std::string>& parts,
                     const std::vector<std::string>& postures) {
    std::string text(who);
    if (!parts.empty()) {
        text += fmt::format(" ({})", fmt::join(parts, ", "));
    }
    if (!postures.empty()) {
        text += fmt::format(" if {}", fmt::join(postures, " or "));
    }
    return text;
}

}  // namespace renderer::access
