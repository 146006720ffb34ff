#include "renderer/plan/checks/cross_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "renderer/contract/environment.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/parents.h"

namespace renderer::plan {

namespace {

constexpr std::array<std::string_view, 4> kFirewallModes = {"", "auto", "iptables", "nftables"};
constexpr std::string_view kFirewallRule = "invalid-firewall-mode";
constexpr std::string_view kOnlyNftables = "tailrender-proxy forwards by nftables only";

Note note_of(const Origin& origin, std::string text) {
    return {.pos = origin.pos, .object = origin.parent, .text = std::move(text)};
}

// Returns the workloads for which tailrender-proxy forwards with the mode of the class's variable
// or, if it is nullptr, of the setting.
std::vector<Note> native_users(const Plan& plan, const ClassEnv* entry) {
    std::vector<Note> users;
    for (const Workload& one : plan.workloads) {
        if (one.dataplane == Dataplane::Native && forwards(one) &&
            class_variable(one.proxy_class, variable::kFirewallMode) == entry) {
            users.push_back(user_of(one));
        }
    }
    return users;
}

// tailrender-proxy supports nftables only.
void check_native_firewall(const Plan& plan, Diagnostics& diagnostics) {
    std::vector<Note> users = native_users(plan, nullptr);
    if (users.empty()) {
        return;
    }
    diagnostics.error(kFirewallRule, plan.settings.firewall_mode_pos, std::string(kOnlyNftables))
        .where(plan.settings.firewall_mode_pos.known() ? "" : "PROXY_FIREWALL_MODE")
        .found("\"iptables\"")
        .expected("\"auto\" or \"nftables\" in \"proxyConfig.firewallMode\"")
        .hint("set \"tailrender.dataplane: containerboot\" to forward by iptables")
        .notes(std::move(users));
}

// The tailscaled of its image also supports nftables only, and treats an unknown mode as iptables.
// A value that refers to other variables is only known in the pod.
void check_class_firewalls(const Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const ClassEnv* entry = class_variable(&one, variable::kFirewallMode);
        if (entry == nullptr || entry->value.empty() || entry->value == "auto" ||
            entry->value == "nftables" || entry->value.find("$(") != std::string::npos) {
            continue;
        }
        std::vector<Note> users = native_users(plan, entry);
        if (users.empty()) {
            continue;
        }
        const bool is_known = entry->value == "iptables";
        about(one.origin, diagnostics)
            .error(kFirewallRule, entry->pos,
                   is_known ? std::string(kOnlyNftables)
                            : fmt::format("invalid value of \"{}\"", variable::kFirewallMode))
            .found(fmt::format("\"{}\"", entry->value))
            .expected("\"auto\" or \"nftables\"")
            .hint(is_known
                      ? fmt::format("remove it, or annotate the class or the object with \"{}: "
                                    "containerboot\" to forward by iptables",
                                    kDataplane)
                      : did_you_mean(nearest(entry->value, {"auto", "nftables"})))
            .notes(std::move(users));
    }
}

constexpr std::array<std::string_view, 6> kLoginVariables = {
    variable::kAcceptDns, variable::kAuthKey,  variable::kOldAuthKey,
    variable::kExtraArgs, variable::kHostname, variable::kRoutes};

// True if containerboot refuses the variable. TS_ACCEPT_DNS does no harm if its value is not a
// boolean of Go.
bool is_login_setting(const ClassEnv& entry) {
    constexpr std::array<std::string_view, 12> kGoBools = {
        "1", "t", "T", "true", "True", "TRUE", "0", "f", "F", "false", "False", "FALSE"};
    return entry.name == variable::kAcceptDns
               ? std::ranges::find(kGoBools, entry.value) != kGoBools.end()
               : !entry.value.empty();
}

std::vector<Note> users_that_read_settings(const Plan& plan, const ProxyClassPlan& used) {
    std::vector<Note> users;
    for (const Workload& one : plan.workloads) {
        const bool is_k8s_proxy = is_api_group(one) && one.dataplane == Dataplane::Containerboot;
        if (one.proxy_class == &used && !is_k8s_proxy) {
            users.push_back(note_of(one.origin, "its pods would not start"));
        }
    }
    return users;
}

}  // namespace

bool forwards(const Workload& one) {
    const auto* proxy = one.as<ProxyPlan>();
    return one.traits().forward_packets && !is_api_group(one) &&
           (proxy == nullptr || !proxy->userspace);
}

void check_refused_env(const Plan& plan, Diagnostics& diagnostics) {
    for (const ProxyClassPlan& one : plan.proxy_classes) {
        const std::vector<Note> users = users_that_read_settings(plan, one);
        for (const std::string_view name : kLoginVariables) {
            const ClassEnv* entry = class_variable(&one, name);
            if (users.empty() || entry == nullptr || !is_login_setting(*entry)) {
                continue;
            }
            about(one.origin, diagnostics)
                .error("refused-env", entry->pos,
                       fmt::format("\"{}\" prevents the proxies of this class from starting", name))
                .found(fmt::format("\"{}\", but each proxy has a configuration file", entry->value))
                .expected("the settings of \"tailscale up\" only in that file")
                .hint("remove the variable")
                .notes(users);
        }
    }
}

void check_operator_tags(const Plan& plan, Diagnostics& diagnostics) {
    const std::vector<std::string>& reserved = plan.settings.operator_tags;
    for (const Workload& one : plan.workloads) {
        const bool is_operators = one.as<ApiProxyPlan>() != nullptr;
        for (const std::string& tag : one.tags) {
            if (!is_operators && std::ranges::find(reserved, tag) != reserved.end()) {
                about(one.origin, diagnostics)
                    .warning("operator-tag", one.origin.pos,
                             "its device gets a tag of the operator itself, and may "
                             "assign the tags that this tag owns")
                    .found(fmt::format("\"{}\"", tag))
                    .expected("no tag of \"operatorConfig.defaultTags\"");
            }
        }
    }
}

void check_firewall_mode(const Plan& plan, Diagnostics& diagnostics) {
    const std::string& mode = plan.settings.firewall_mode;
    check_class_firewalls(plan, diagnostics);
    if (mode == "iptables") {
        check_native_firewall(plan, diagnostics);
    }
    if (std::ranges::find(kFirewallModes, mode) != kFirewallModes.end()) {
        return;
    }
    std::vector<Note> users;
    for (const Workload& one : plan.workloads) {
        const bool is_set = one.as<RecorderPlan>() == nullptr &&  // its variables are the user's
                            std::ranges::find(one.env, variable::kFirewallMode,
                                              &EnvVariable::name) != one.env.end();
        if (is_set) {
            users.push_back(note_of(one.origin, one.as<ProxyPlan>() != nullptr
                                                    ? "its proxy would not start"
                                                    : "its proxies would not start"));
        }
    }
    const std::string_view near = nearest(mode, {kFirewallModes.begin() + 1, kFirewallModes.end()});
    diagnostics
        .say(users.empty() ? Severity::Warning : Severity::Error, kFirewallRule,
             plan.settings.firewall_mode_pos, "invalid value of \"proxyConfig.firewallMode\"")
        .where(plan.settings.firewall_mode_pos.known() ? "" : "PROXY_FIREWALL_MODE")
        .found(fmt::format("\"{}\"", mode))
        .expected("one of { auto, iptables, nftables }")
        .hint(did_you_mean(near))
        .notes(std::move(users));
}

// Visits everything that objects are generated for.
template <typename Visit>
void for_each_owner(const Plan& plan, const Visit& visit) {
    std::ranges::for_each(plan.workloads, visit);
    std::ranges::for_each(plan.egress_members, visit);
    std::ranges::for_each(plan.group_policies, visit);
    std::ranges::for_each(plan.tailnets, visit);
}

void check_bundles(const load::Loaded& loaded, const Plan& plan, Diagnostics& diagnostics) {
    std::map<std::uint32_t, std::vector<Note>> owners;
    for_each_owner(plan, [&](const auto& owner) {
        const std::string& forced = loaded.bundles[owner.bundle].forced_namespace;
        if (!forced.empty() && forced != plan.settings.ns) {
            owners[owner.bundle].push_back(
                note_of(owner.origin, "its objects would be created there"));
        }
    });
    for (auto& [index, notes] : owners) {
        const engines::Bundle& bundle = loaded.bundles[index];
        diagnostics
            .error("forced-namespace", bundle.forced_namespace_pos,
                   fmt::format("this bundle forces all objects into namespace \"{}\"",
                               bundle.forced_namespace))
            .expected(fmt::format("a bundle that keeps generated objects in namespace \"{}\"",
                                  plan.settings.ns))
            .hint(
                "use \"defaultNamespace\" instead of \"namespace\", or set "
                "\"tailrender.placement: central\" to keep generated objects in the "
                "operator's bundle")
            .notes(std::move(notes));
    }
}

void check_duplicates(const load::Loaded& loaded, const classify::Inventory& inventory,
                      std::vector<const classify::ParentInput*> consumed,
                      Diagnostics& diagnostics) {
    using Entry = std::tuple<std::string_view, std::string_view, std::string_view>;
    const auto key = [](const classify::ParentInput* one) {
        return Entry(one->doc->kind.text(), one->ns, one->name);
    };
    std::vector<const classify::ParentInput*> all;
    all.reserve(inventory.services.size() + inventory.ingresses.size());
    const auto collect = [&](const classify::ParentInput& one) {
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
            report_duplicate(loaded, *all[first]->doc, *all[i]->doc, diagnostics);
        }
    }
}

}  // namespace renderer::plan
