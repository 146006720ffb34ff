#include "renderer/access/match.h"

#include <algorithm>

namespace renderer::access {
namespace {

constexpr std::string_view kMember = "autogroup:member";
constexpr std::string_view kTagged = "autogroup:tagged";
constexpr std::string_view kAnyone = "autogroup:danger-all";
constexpr std::string_view kShared = "autogroup:shared";

const std::vector<std::string>* members_of_group(const Selector& group, const Policy& policy) {
    const auto found = policy.groups.find(group.text);
    return found == policy.groups.end() ? nullptr : &found->second;
}

bool is_role(const Selector& selector) {
    return selector.kind == SelectorKind::AutoGroup && selector.text != kMember &&
           selector.text != kTagged && selector.text != kAnyone;
}

bool is_of_domain(std::string_view user, const Selector& domain) {
    return user.ends_with(std::string_view(domain.text).substr(domain.text.find('@')));
}

// Returns Yes for all of them, Part for some, No for none.
template <typename Predicate>
Match match_members(const std::vector<std::string>& members, const Predicate& predicate) {
    const auto count = std::ranges::count_if(members, predicate);
    if (count == 0) {
        return Match::No;
    }
    return count == std::ssize(members) ? Match::Yes : Match::Part;
}

// Returns whether a selector of users, a user, a group or a domain, means `user`.
Match match_user(const Selector& selector, std::string_view user, const Policy& policy) {
    if (selector.kind == SelectorKind::User) {
        return selector.text == user ? Match::Yes : Match::No;
    }
    if (selector.kind == SelectorKind::Domain) {
        return is_of_domain(user, selector) ? Match::Yes : Match::No;
    }
    const auto* members = members_of_group(selector, policy);
    if (members == nullptr) {
        return Match::Unknown;
    }
    return std::ranges::binary_search(*members, user) ? Match::Yes : Match::No;
}

Match match_users(const Selector& selector, const Selector& who, const Policy& policy) {
    switch (who.kind) {
        case SelectorKind::User:
            return match_user(selector, who.text, policy);
        case SelectorKind::Group: {
            const auto* members = members_of_group(who, policy);
            const bool is_known = selector.kind != SelectorKind::Group ||
                                  members_of_group(selector, policy) != nullptr;
            return members == nullptr || !is_known
                       ? Match::Unknown
                       : match_members(*members, [&](const std::string& user) {
                             return match_user(selector, user, policy) == Match::Yes;
                         });
        }
        case SelectorKind::Domain:
            return Match::Unknown;
        case SelectorKind::AutoGroup:
            return who.text == kTagged ? Match::No : Match::Unknown;
        case SelectorKind::Addresses:
            return Match::Unknown;
        case SelectorKind::Everything:
        case SelectorKind::Tag:
        case SelectorKind::Service:
            break;
    }
    return Match::No;
}

bool is_of_users(const Selector& who) {
    return who.kind == SelectorKind::User || who.kind == SelectorKind::Group ||
           who.kind == SelectorKind::Domain || who.text == kMember ||
           (is_role(who) && who.text != kShared);
}

bool is_of_tags(const Selector& who) {
    return who.kind == SelectorKind::Tag || who.text == kTagged;
}

Match match_autogroup(const Selector& selector, const Selector& who) {
    if (who.kind == SelectorKind::Addresses) {
        return Match::Unknown;
    }
    if (selector.text == kMember) {
        return is_of_users(who) ? Match::Yes : Match::No;
    }
    if (selector.text == kTagged) {
        return is_of_tags(who) ? Match::Yes : Match::No;
    }
    return is_of_tags(who) ? Match::No : Match::Unknown;
}

// True if these are all addresses that devices have in one family.
bool are_all_devices(const AddressSet& addresses) {
    static const AddressSet v4({*parse_range("100.64.0.0/10")});
    static const AddressSet v6({*parse_range("fd7a:115c:a1e0::/48")});
    return addresses.covers(v4) || addresses.covers(v6);
}

Match match_device_address(const AddressSet& addresses) {
    if (are_all_devices(addresses)) {
        return Match::Yes;
    }
    return addresses.overlaps(tailnet_addresses()) ? Match::Unknown : Match::No;
}

Match match_addresses(const AddressSet& of_rule, const AddressSet& asked) {
    if (of_rule.covers(asked)) {
        return Match::Yes;
    }
    return of_rule.overlaps(asked) ? Match::Part : Match::No;
}

bool holds(const std::vector<std::string>& texts, std::string_view text) {
    return std::ranges::find(texts, text) != texts.end();
}

Match match_tagged(const Selector& selector, const Target& target) {
    const bool is_service = target.kind == Target::Kind::Service;
    switch (selector.kind) {
        case SelectorKind::Tag:
            return holds(target.tags, selector.text) ? Match::Yes : Match::No;
        case SelectorKind::AutoGroup:
            if (selector.text != kTagged) {
                return Match::No;
            }
            return is_service ? Match::Unknown : Match::Yes;
        case SelectorKind::Addresses:
            return match_device_address(selector.addresses);
        case SelectorKind::Service:
            return is_service && selector.text == target.name ? Match::Yes : Match::No;
        case SelectorKind::Everything:
        case SelectorKind::User:
        case SelectorKind::Domain:
        case SelectorKind::Group:
            break;
    }
    return Match::No;
}

Match match_routed(const Selector& selector, const Target& target) {
    if (selector.kind == SelectorKind::Addresses) {
        return match_addresses(selector.addresses, target.addresses);
    }
    if (selector.text == kInternet) {
        return internet_addresses().overlaps(target.addresses) ? Match::Unknown : Match::No;
    }
    // A name of devices may mean one with this address.
    return target.addresses.overlaps(tailnet_addresses()) ? Match::Unknown : Match::No;
}

Match match_internet(const Selector& selector) {
    if (selector.kind == SelectorKind::Addresses) {
        return match_addresses(selector.addresses, internet_addresses());
    }
    return selector.text == kInternet ? Match::Yes : Match::No;
}

}  // namespace

Match match_destination(const Selector& selector, const Target& target, const Policy& policy) {
    if (selector.kind == SelectorKind::Everything) {
        return Match::Yes;
    }
    switch (target.kind) {
        case Target::Kind::Device:
        case Target::Kind::Service:
            return match_tagged(selector, target);
        case Target::Kind::Addresses:
            return match_routed(selector, target);
        case Target::Kind::Internet:
            return match_internet(selector);
        case Target::Kind::AppConnector:
            return selector.kind == SelectorKind::Addresses || selector.text == kInternet
                       ? Match::Unknown
                       : Match::No;
        case Target::Kind::Others:
            break;
    }
    return match_source(selector, target.others, policy);
}

Match match_source(const Selector& selector, const Selector& who, const Policy& policy) {
    if (selector.kind == SelectorKind::Everything || selector.text == kAnyone ||
        selector.text == who.text) {
        return Match::Yes;
    }
    if (who.kind == SelectorKind::Everything || who.text == kAnyone) {
        return Match::Part;
    }
    switch (selector.kind) {
        case SelectorKind::User:
        case SelectorKind::Domain:
        case SelectorKind::Group:
            return match_users(selector, who, policy);
        case SelectorKind::Tag:
            if (who.text == kTagged) {
                return Match::Part;
            }
            return who.kind == SelectorKind::Addresses ? Match::Unknown : Match::No;
        case SelectorKind::AutoGroup:
            return match_autogroup(selector, who);
        case SelectorKind::Addresses:
            return who.kind == SelectorKind::Addresses
                       ? match_addresses(selector.addresses, who.addresses)
                       : match_device_address(selector.addresses);
        case SelectorKind::Everything:
        case SelectorKind::Service:
            break;
    }
    return Match::No;
}

}  // namespace renderer::access
