#include "renderer/plan/cross_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "renderer/plan/grammar.h"

namespace renderer {

namespace {

constexpr std::array<std::string_view, 4> kFirewallModes = {"", "auto", "iptables", "nftables"};

Note note_of(const ProxyPlan& proxy, std::string text) {
    return {.pos = proxy.origin.pos, .object = proxy.origin.parent, .text = std::move(text)};
}

using Named = std::pair<std::string, const ProxyPlan*>;

// The proxies in the order of some text of theirs, equal texts in the order of the inputs.
template <typename Key>
std::vector<Named> sorted_by(const Plan& plan, Key key) {
    std::vector<Named> sorted;
    sorted.reserve(plan.proxies.size());
    for (const ProxyPlan& proxy : plan.proxies) {
        sorted.emplace_back(key(proxy), &proxy);
    }
    std::ranges::stable_sort(sorted, [](const Named& a, const Named& b) {
        return std::tie(a.first, a.second->origin.pos) < std::tie(b.first, b.second->origin.pos);
    });
    return sorted;
}

// Calls `report(first, other)` for each proxy whose text an earlier one has, unless both are of one
// parent: that has its own message.
template <typename Report>
void for_each_clash(const std::vector<Named>& sorted, Report report) {
    const Named* first = nullptr;
    for (const auto& entry : sorted) {
        if (first == nullptr || first->first != entry.first) {
            first = &entry;
        } else if (first->second->origin.parent != entry.second->origin.parent) {
            report(*first->second, *entry.second);
        }
    }
}

}  // namespace

void check_firewall_mode(const Plan& plan, Diagnostics& diagnostics) {
    const std::string& mode = plan.settings.firewall_mode;
    if (std::ranges::find(kFirewallModes, mode) != kFirewallModes.end()) {
        return;
    }
    std::vector<Note> users;
    for (const ProxyPlan& proxy : plan.proxies) {
        users.push_back(note_of(proxy, "its proxy would not start"));
    }
    const std::string_view near = nearest(mode, {kFirewallModes.begin() + 1, kFirewallModes.end()});
    diagnostics.add({.rule = "invalid-firewall-mode",
                     .pos = plan.settings.firewall_mode_pos,
                     .where = plan.settings.firewall_mode_pos.known() ? "" : "PROXY_FIREWALL_MODE",
                     .message = "\"proxyConfig.firewallMode\" has an unknown value",
                     .found = fmt::format("\"{}\"", mode),
                     .expected = "one of { auto, iptables, nftables }",
                     .hint = near.empty() ? "" : fmt::format("did you mean \"{}\"?", near),
                     .notes = std::move(users)});
}

void check_hostnames(const Plan& plan, Diagnostics& diagnostics) {
    const auto sorted =
        sorted_by(plan, [](const ProxyPlan& one) { return lower_case(one.hostname); });
    for_each_clash(sorted, [&](const ProxyPlan& first, const ProxyPlan& other) {
        if (!other.hostname.empty()) {
            diagnostics.add(
                {.rule = "duplicate-hostname",
                 .pos = other.hostname_pos,
                 .object = other.origin.parent,
                 .message = fmt::format("a second device with the hostname \"{}\"", other.hostname),
                 .expected = "a hostname of its own: the tailnet would call the second one "
                             "\"<hostname>-1\"",
                 .hint = other.target == Target::Serve
                             ? "change the first host of spec.tls"
                             : "choose one with the annotation \"tailscale.com/hostname\"",
                 .notes = {{.pos = first.hostname_pos,
                            .object = first.origin.parent,
                            .text = "has it, too"}}});
        }
    });
}

void check_names(const Plan& plan, Diagnostics& diagnostics) {
    const auto sorted = sorted_by(plan, [](const ProxyPlan& one) { return one.name; });
    for_each_clash(sorted, [&](const ProxyPlan& first, const ProxyPlan& other) {
        diagnostics.add(
            {.rule = "name-collision",
             .pos = other.origin.pos,
             .object = other.origin.parent,
             .message = fmt::format("its objects would be called \"{}\", as those of \"{}\"",
                                    other.name, first.origin.parent),
             .hint = "rename one of the two",
             .notes = {note_of(first, "has that name, too")}});
    });
}

void check_bundles(const Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    std::map<std::uint32_t, std::vector<Note>> proxies;
    for (const ProxyPlan& proxy : plan.proxies) {
        const std::string& forced = loaded.bundles[proxy.bundle].forced_namespace;
        if (!forced.empty() && forced != proxy.ns) {
            proxies[proxy.bundle].push_back(note_of(proxy, "its proxy would land there"));
        }
    }
    for (auto& [index, notes] : proxies) {
        const Bundle& bundle = loaded.bundles[index];
        diagnostics.add(
            {.rule = "forced-namespace",
             .pos = bundle.forced_namespace_pos,
             .message = fmt::format("this bundle forces every object into namespace \"{}\"",
                                    bundle.forced_namespace),
             .expected = fmt::format("a bundle whose generated objects stay in namespace \"{}\"",
                                     plan.settings.ns),
             .hint = "say \"defaultNamespace\" instead of \"namespace\", or set "
                     "\"tailrender.placement: central\" to keep generated objects in the "
                     "operator's bundle",
             .notes = std::move(notes)});
    }
}

void check_duplicates(const Loaded& loaded, const Inventory& inventory,
                      std::vector<const ParentInput*> consumed, Diagnostics& diagnostics) {
    using Entry = std::tuple<std::string_view, std::string_view, std::string_view>;
    const auto key = [](const ParentInput* one) {
        return Entry(one->doc->kind.text(), one->ns, one->name);
    };
    std::vector<const ParentInput*> all;
    all.reserve(inventory.services.size() + inventory.ingresses.size());
    const auto collect = [&](const ParentInput& one) {
        if (is_rendered(loaded, *one.doc) && !one.ns.empty()) {
            all.push_back(&one);
        }
    };
    std::ranges::for_each(inventory.services, collect);
    std::ranges::for_each(inventory.ingresses, collect);
    std::ranges::stable_sort(all, {}, key);
    std::ranges::sort(consumed, {}, key);
    for (std::size_t i = 1, first = 0; i < all.size(); ++i) {
        if (key(all[first]) != key(all[i])) {
            first = i;
        } else if (std::ranges::binary_search(consumed, key(all[i]), {}, key)) {
            diagnostics.add({.rule = "duplicate-object",
                             .pos = all[i]->pos(),
                             .object = all[i]->doc->object_name(),
                             .message = "this object stands in the inputs twice",
                             .expected = "every object once",
                             .hint = "remove one of the two",
                             .notes = {{.pos = all[first]->pos(),
                                        .object = all[first]->doc->object_name(),
                                        .text = "the first stands here"}}});
        }
    }
}

}  // namespace renderer
