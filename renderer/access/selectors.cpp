#include "renderer/access/selectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/split.h"

namespace renderer::access {
namespace {

constexpr int kMaxDepth = 100;  // of IP sets in IP sets
constexpr std::string_view kHostPrefix = "host:";
constexpr std::string_view kDomainPrefix = "user:*@";
constexpr std::array kAutoGroups = {
    "autogroup:admin",      "autogroup:auditor",  "autogroup:billing-admin",
    "autogroup:danger-all", "autogroup:internet", "autogroup:it-admin",
    "autogroup:member",     "autogroup:members",  "autogroup:network-admin",
    "autogroup:owner",      "autogroup:self",     "autogroup:shared",
    "autogroup:tagged"};

SelectorReader::Parsed found(SelectorKind kind, std::string_view text, AddressSet addresses = {}) {
    return {.selector = Selector{
                .kind = kind, .text = std::string(text), .addresses = std::move(addresses)}};
}

SelectorReader::Parsed refused(std::string_view rule, std::string expected) {
    return {.selector = std::nullopt, .rule = rule, .expected = std::move(expected)};
}

}  // namespace

SelectorReader::SelectorReader(const policy::Node& root) {
    if (const policy::Node* tag_owners = root.find_any_case("tagOwners")) {
        for (const policy::Entry& entry : tag_owners->entries) {
            tags_.insert(entry.key.text);
        }
    }
    if (const policy::Node* hosts = root.find_any_case("hosts")) {
        for (const policy::Entry& entry : hosts->entries) {
            if (const auto range = parse_range(entry.value.text)) {
                addresses_.emplace(entry.key.text, AddressSet({*range}));
            }
        }
    }
    if (const policy::Node* ip_sets = root.find_any_case("ipsets")) {
        for (const policy::Entry& entry : ip_sets->entries) {
            read_ip_set(*ip_sets, entry, 0);
        }
    }
}

SelectorReader::Parsed SelectorReader::parse(std::string_view text) const {
    if (text == "*") {
        return found(SelectorKind::Everything, text);
    }
    if (text.starts_with(kTagPrefix)) {
        return tags_.contains(text) ? found(SelectorKind::Tag, text)
                                    : refused("policy-reference", "a tag of tagOwners");
    }
    if (text.starts_with(kGroupPrefix)) {
        return found(SelectorKind::Group, text);
    }
    if (text.starts_with(kAutoGroupPrefix)) {
        return std::ranges::find(kAutoGroups, text) != kAutoGroups.end()
                   ? found(SelectorKind::AutoGroup,
                           text == "autogroup:members" ? "autogroup:member" : text)
                   : refused("policy-selector",
                             fmt::format("one of {}", fmt::join(kAutoGroups, ", ")));
    }
    if (text.starts_with(kServicePrefix)) {
        return found(SelectorKind::Service, text);
    }
    if (text.starts_with(kDomainPrefix)) {
        return found(SelectorKind::Domain, text);
    }
    if (text.find('@') != std::string_view::npos) {
        return found(SelectorKind::User, text);
    }
    auto addresses = addresses_of(text);
    return addresses ? found(SelectorKind::Addresses, text, std::move(*addresses))
                     : refused("policy-reference",
                               text.starts_with(kIpSetPrefix)
                                   ? "an IP set of ipsets, of addresses and hosts"
                                   : "*, a user, group, tag or autogroup, an address, a name of "
                                     "hosts, an IP set, or svc:NAME");
}

std::optional<AddressSet> SelectorReader::addresses_of(std::string_view text) const {
    if (const auto range = parse_range(text)) {
        return AddressSet({*range});
    }
    const auto named = addresses_.find(text);
    return named == addresses_.end() ? std::nullopt : std::optional(named->second);
}

// Sets may be in sets; one that is in itself is invalid.
void SelectorReader::read_ip_set(const policy::Node& ip_sets, const policy::Entry& entry,
                                 int depth) {
    const std::string& name = entry.key.text;
    if (depth > kMaxDepth || addresses_.contains(name) || !invalid_.insert(name).second) {
        return;
    }
    AddressSet all;
    for (const policy::Entry& one : entry.value.entries) {
        std::string_view item = one.value.text;
        const bool removes = item.starts_with("remove ");
        if (removes || item.starts_with("add ")) {
            take(item, ' ');
        }
        const auto part = ip_set_item(ip_sets, item, depth);
        if (!part) {
            return;
        }
        removes ? all.remove(*part) : all.add(*part);
    }
    invalid_.erase(name);
    addresses_.emplace(name, std::move(all));
}

std::optional<AddressSet> SelectorReader::ip_set_item(const policy::Node& ip_sets,
                                                      std::string_view item, int depth) {
    if (item == kInternet) {
        return internet_addresses();
    }
    if (item.starts_with(kHostPrefix)) {
        item.remove_prefix(kHostPrefix.size());
    }
    if (item.starts_with(kIpSetPrefix)) {
        const auto other = std::ranges::find(
            ip_sets.entries, item,
            [](const policy::Entry& entry) -> std::string_view { return entry.key.text; });
        if (other != ip_sets.entries.end()) {
            read_ip_set(ip_sets, *other, depth + 1);
        }
    }
    return addresses_of(item);
}

}  // namespace renderer::access
