#include "renderer/plan/group/proxy_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/proxy_group_checks.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/group/api_group.h"
#include "renderer/plan/group/group_class.h"
#include "renderer/plan/parents.h"

namespace renderer {

namespace {

void plan_hostnames(const ProxyGroupInput& group, const Settings& settings, ProxyGroupPlan& plan,
                    Diagnostics& diagnostics) {
    const bool wished = group.hostname_prefix.pos.known() && !group.hostname_prefix.text.empty();
    const std::string_view prefix = wished ? group.hostname_prefix.text : group.name;
    const std::string_view dash = settings.hostname_suffix.empty() ? "" : "-";
    plan.hostname_pos = wished ? group.hostname_prefix.pos : group.name_pos();
    for (std::int64_t i = 0; i < group.replicas; ++i) {
        plan.hostnames.push_back(
            fmt::format("{}-{}{}{}", prefix, i, dash, settings.hostname_suffix));
    }
    const std::string wrong =
        plan.hostnames.empty() ? std::string() : dns_label_error(plan.hostnames.back());
    if (!wrong.empty()) {
        diagnostics.add(
            {.rule = "invalid-hostname",
             .pos = plan.hostname_pos,
             .object = group.doc->object_name(),
             .message = fmt::format("invalid hostname \"{}\": {}", plan.hostnames.back(), wrong),
             .found = fmt::format("a name of {} bytes", plan.hostnames.back().size()),
             .expected = "1 to 63 letters, digits and dashes for every replica",
             .hint = "choose a shorter \"spec.hostnamePrefix\""});
    }
}

ProxyGroupPlan start_group(const ProxyGroupInput& group, const ProxyInputs& inputs,
                           Diagnostics& diagnostics) {
    const Settings& settings = inputs.settings;
    ProxyGroupPlan plan;
    plan.origin = {group.pos(), group.doc->object_name(),
                   fmt::format("proxy-group: spec.type {}", type_name(group.type))};
    plan.bundle = inputs.bundle_of(*group.doc);
    plan.name = group.name;
    plan.ns = settings.ns;
    plan.type = group.type;
    plan_hostnames(group, settings, plan, diagnostics);
    plan.tags = device_tags(group_tags(group, settings), settings);
    plan.tailnet = group.tailnet.text;
    plan.image = settings.proxy_image.reference();
    plan.pull_policy = settings.proxy_image.pinned() ? "IfNotPresent" : "Always";
    plan.firewall_mode = settings.firewall_mode;
    plan.service_account = group.name;
    if (group.type == GroupType::KubeApiServer) {
        fill_api_group(group, inputs, plan);
    }
    return plan;
}

// Adds the group unless it is refused.
void plan_group(const ProxyGroupInput& group, const ProxyInputs& inputs, Plan& plan,
                Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    std::string server_url =
        inputs.tailnets.server_url(group, {group.tailnet.text, group.tailnet.pos}, diagnostics);
    check_object(group, diagnostics);
    const ProxyClassPlan* chosen = group_class(group, inputs, diagnostics);
    if (chosen != nullptr) {
        check_service_names(group, *chosen, diagnostics);
    }
    if (diagnostics.error_count() > before) {
        return;
    }
    ProxyGroupPlan& added = plan.groups.emplace_back(start_group(group, inputs, diagnostics));
    added.server_url = std::move(server_url);
    added.proxy_class = chosen;
    for (const std::string& hostname : added.hostnames) {
        plan.devices.push_back({.hostname = hostname,
                                .kind = "ProxyGroup",
                                .tags = fmt::format("{}", fmt::join(added.tags, ",")),
                                .leads_to = fmt::format("{} group", type_name(group.type)),
                                .pos = group.pos(),
                                .tailnet = added.tailnet});
    }
    if (group.type == GroupType::KubeApiServer) {
        plan_api_service(group, added, inputs, plan, diagnostics);
    }
}

}  // namespace

std::vector<std::string> group_tags(const ProxyGroupInput& group, const Settings& settings) {
    std::vector<std::string> tags;
    for (const TextInput& tag : group.tags) {
        tags.emplace_back(tag.text);
    }
    return tags.empty() ? settings.default_tags : tags;
}

GroupIndex::GroupIndex(const Inventory& inventory) {
    for (const ProxyGroupInput& group : inventory.proxy_groups) {
        sorted_.push_back(&group);
    }
    std::ranges::stable_sort(sorted_, [](const auto* a, const auto* b) {
        return std::pair(a->name, is_fact(*a->doc)) < std::pair(b->name, is_fact(*b->doc));
    });
}

const ProxyGroupInput* GroupIndex::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(sorted_, name, {}, &ProxyGroupInput::name);
    return found != sorted_.end() && (*found)->name == name ? *found : nullptr;
}

std::string_view type_name(GroupType type) {
    switch (type) {
        case GroupType::Egress:
            return "egress";
        case GroupType::Ingress:
            return "ingress";
        case GroupType::KubeApiServer:
            return "kube-apiserver";
        case GroupType::Unset:
            break;
    }
    return {};
}

std::string ProxyGroupPlan::pod(std::size_t ordinal) const {
    return fmt::format("{}-{}", name, ordinal);
}

const ProxyGroupInput* find_group(const ParentInput& parent, const GroupIndex& groups,
                                  Diagnostics& diagnostics) {
    const Value* name = parent.annotation(kProxyGroup);
    const ProxyGroupInput* group = groups.find(name->text());
    if (group == nullptr) {
        diagnostics.add({.rule = "missing-proxy-group",
                         .pos = name->pos(),
                         .object = parent.doc->object_name(),
                         .message = fmt::format("ProxyGroup \"{}\" not found", name->text()),
                         .expected = "the name of a ProxyGroup",
                         .hint = "add the ProxyGroup, or pass its directory with --context DIR"});
    }
    return group;
}

void check_group_type(const ParentInput& member, const ProxyGroupInput& group, GroupType wanted,
                      Diagnostics& diagnostics) {
    if (group.type == wanted || group.type == GroupType::Unset) {
        return;
    }
    const bool egress = wanted == GroupType::Egress;
    diagnostics.add({.rule = "group-type",
                     .pos = member.annotation(kProxyGroup)->pos(),
                     .object = member.doc->object_name(),
                     .message = fmt::format("{} needs an {} group",
                                            egress ? "a Service that targets the tailnet"
                                                   : "an object that the tailnet reaches",
                                            type_name(wanted)),
                     .found = fmt::format("\"{}\" of type {}", group.name, type_name(group.type)),
                     .expected = fmt::format("a ProxyGroup of type {}", type_name(wanted)),
                     .notes = {{.pos = group.pos(),
                                .object = group.doc->object_name(),
                                .text = fmt::format("is of type {}", type_name(group.type))}}});
}

void check_ignored(const ParentInput& member, Diagnostics& diagnostics) {
    constexpr std::array kIgnored = {kProxyClass, kFunnel, kForwardClusterTraffic};
    for (const std::string_view key : kIgnored) {
        const Value* label = key == kProxyClass ? member.label(key) : nullptr;
        const Value* found = label == nullptr ? member.annotation(key) : label;
        if (found == nullptr) {
            continue;
        }
        Diagnostic warning{.severity = Severity::Warning,
                           .rule = "annotation-without-effect",
                           .pos = found->pos(),
                           .object = member.doc->object_name()};
        warning.message = fmt::format("\"{}\" has no effect on what a group serves", key);
        warning.hint = key == kProxyClass ? "the group has a \"spec.proxyClass\""
                                          : "remove it, or remove the annotation "
                                            "\"tailscale.com/proxy-group\" to use a separate proxy";
        diagnostics.add(std::move(warning));
    }
}

void plan_proxy_groups(const GroupIndex& groups, const ProxyInputs& inputs, Plan& plan,
                       Diagnostics& diagnostics) {
    for (const ProxyGroupInput* group : groups.sorted()) {
        if (is_rendered(inputs.loaded, *group->doc)) {
            plan_group(*group, inputs, plan, diagnostics);
        }
    }
}

}  // namespace renderer
