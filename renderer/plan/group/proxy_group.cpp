#include "renderer/plan/group/proxy_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/contract/annotations.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/group_config.h"
#include "renderer/core/text_of.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/checks/proxy_group_checks.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/group/api_group.h"
#include "renderer/plan/group/group_class.h"
#include "renderer/plan/group/static_endpoints.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnets.h"

namespace renderer::plan {

namespace {

// Returns static text.
std::string_view rule_of(GroupType type) {
    switch (type) {
        case GroupType::Egress:
            return "proxy-group: spec.type egress";
        case GroupType::Ingress:
            return "proxy-group: spec.type ingress";
        case GroupType::KubeApiServer:
        case GroupType::Unset:
            break;
    }
    return "proxy-group: spec.type kube-apiserver";
}

void plan_hostnames(const ProxyGroupInput& group, const Settings& settings, Workload& workload,
                    Diagnostics& diagnostics) {
    const bool has_prefix =
        group.hostname_prefix.pos.known() && !group.hostname_prefix.text.empty();
    const std::string_view prefix = has_prefix ? group.hostname_prefix.text : group.name;
    const std::string_view dash = settings.hostname_suffix.empty() ? "" : "-";
    std::vector<std::string>& hostnames = workload.hostnames;
    workload.hostname_advice = "choose another \"spec.hostnamePrefix\"";
    workload.hostname_pos = has_prefix ? group.hostname_prefix.pos : group.name_pos();
    for (std::int64_t i = 0; i < group.replicas; ++i) {
        hostnames.push_back(fmt::format("{}-{}{}{}", prefix, i, dash, settings.hostname_suffix));
    }
    const std::string wrong = hostnames.empty() ? std::string() : dns_label_error(hostnames.back());
    if (!wrong.empty()) {
        classify::about(group, diagnostics)
            .error("invalid-hostname", workload.hostname_pos,
                   fmt::format("invalid hostname \"{}\": {}", hostnames.back(), wrong))
            .found(fmt::format("a name of {} bytes", hostnames.back().size()))
            .expected("1 to 63 letters, digits and dashes for every replica")
            .hint("choose a shorter \"spec.hostnamePrefix\"");
    }
}

// The group's annotation decides, else the operator's default.
bool shares_acme_account(const ProxyGroupInput& group, const Settings& settings) {
    if (group.type != GroupType::Ingress || !settings.release.has(Trait::AcmeAccounts)) {
        return false;
    }
    const Value* wanted = group.annotation(annotation::kShareAcmeAccount);
    return wanted == nullptr ? settings.share_acme_account : text_of(wanted) == "true";
}

void add_acme_environment(const ProxyGroupInput& group, bool shares,
                          std::vector<EnvVariable>& env) {
    if (!shares) {
        env.push_back({variable::kForceRenewal, "true"});
        return;
    }
    const std::string_view tailnet = group.tailnet.text.empty() ? "_default" : group.tailnet.text;
    env.push_back({variable::kAcmeAccountSecret, std::string(kAcmeAccounts)});
    env.push_back({variable::kAcmeAccountField, fmt::format("{}.acme-account.key.pem", tailnet)});
}

void fill_environment(const ProxyGroupInput& group, const Settings& settings, Workload& workload,
                      bool shares) {
    std::vector<EnvVariable>& env = workload.env;
    add_firewall_mode(settings, workload);
    if (group.type == GroupType::Egress) {
        env.push_back({variable::kOldEgressConfig, group_config_file(kEgressDatum)});
        env.push_back({variable::kEgressConfig, std::string(kGroupConfigFolder)});
        env.push_back({variable::kInternalApp, "k8s-operator-proxygroup-egress"});
    } else {
        env.push_back({variable::kInternalApp, "k8s-operator-proxygroup-ingress"});
        env.push_back({variable::kIngressConfig, group_config_file(kIngressDatum)});
        env.push_back({variable::kServeConfig, group_config_file(kGroupServeDatum)});
        env.push_back({variable::kCertShare, "true"});
    }
    env.push_back({variable::kHealthCheck, "true"});
    if (group.type == GroupType::Ingress && settings.release.has(Trait::AcmeAccounts)) {
        add_acme_environment(group, shares, env);
    }
}

Workload make_group(const ProxyGroupInput& group, const ProxyClassPlan* chosen,
                    const ProxyInputs& inputs, Diagnostics& diagnostics) {
    const Settings& settings = inputs.settings;
    Workload workload = start_workload(group, rule_of(group.type), inputs);
    workload.add_parent_labels(false);
    plan_hostnames(group, settings, workload, diagnostics);
    workload.tags = device_tags(spec_tags(group.tags, settings.default_tags), settings);
    workload.tailnet = group.tailnet.text;
    workload.target_text = fmt::format("{} group", type_name(group.type));
    workload.proxy_class = chosen;
    workload.metrics_type = "proxygroup";
    workload.certificates = group.type != GroupType::Egress;
    ProxyGroupPlan feature{.input = group};
    if (chosen != nullptr && chosen->static_endpoints) {
        feature.tailscaled_port = tailscaled_port(group.name);
        workload.env.push_back({"PORT", fmt::format("{}", feature.tailscaled_port)});
    }
    choose_dataplane(group, settings, workload, diagnostics);
    if (group.type == GroupType::KubeApiServer) {
        fill_api_group(group, settings, workload, feature);
    } else {
        workload.volumes = {kConfigVolume, kAuthVolume};
        feature.shares_acme_account = shares_acme_account(group, settings);
        fill_environment(group, settings, workload, feature.shares_acme_account);
    }
    workload.claim({"Role", "RoleBinding", "StatefulSet"}, workload.name);
    if (workload.makes_account) {
        workload.claim({"ServiceAccount"}, workload.name);
    }
    workload.feature = std::move(feature);
    return workload;
}

// Returns none if the group is refused.
std::optional<Workload> plan_group(const ProxyGroupInput& group, const ProxyInputs& inputs,
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
        return std::nullopt;
    }
    Workload workload = make_group(group, chosen, inputs, diagnostics);
    workload.server_url = std::move(server_url);
    return workload;
}

}  // namespace

GroupIndex::GroupIndex(const classify::Inventory& inventory) {
    for (const classify::CustomResource& resource : inventory.of(kind_of("ProxyGroup"))) {
        sorted_.emplace_back(resource);
    }
    std::ranges::stable_sort(sorted_, {}, [](const ProxyGroupInput& group) {
        return std::pair(group.name, is_fact(*group.doc));
    });
}

const ProxyGroupInput* GroupIndex::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(sorted_, name, {}, &ProxyGroupInput::name);
    return found != sorted_.end() && found->name == name ? &*found : nullptr;
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

const ProxyGroupInput* find_group(const classify::ParentInput& parent, const GroupIndex& groups,
                                  Diagnostics& diagnostics) {
    const Value* name = parent.annotation(annotation::kProxyGroup);
    const ProxyGroupInput* group = groups.find(name->text());
    if (group == nullptr) {
        const std::string_view last = name->text().substr(name->text().rfind('/') + 1);
        const bool has_namespace = last != name->text() && groups.find(last) != nullptr;
        std::vector<std::string_view> names;
        for (const ProxyGroupInput& one : groups.sorted()) {
            names.push_back(one.name);
        }
        const std::string_view near = nearest(name->text(), names);
        classify::about(parent, diagnostics)
            .error("missing-proxy-group", name->pos(),
                   fmt::format("ProxyGroup \"{}\" not found", name->text()))
            .expected("the name of a ProxyGroup")
            .hint(has_namespace  ? fmt::format("ProxyGroups have no namespace: write \"{}\"", last)
                  : near.empty() ? "add the ProxyGroup, or pass its directory with --context DIR"
                                 : did_you_mean(near))
            .is_absence();
    }
    return group;
}

void check_group_type(const classify::ParentInput& member, const ProxyGroupInput& group,
                      GroupType wanted, Diagnostics& diagnostics) {
    if (group.type == wanted || group.type == GroupType::Unset) {
        return;
    }
    const bool egress = wanted == GroupType::Egress;
    classify::about(member, diagnostics)
        .error("group-type", member.annotation(annotation::kProxyGroup)->pos(),
               fmt::format("{} needs an {} group",
                           egress ? "a Service that targets the tailnet"
                                  : "an object that the tailnet reaches",
                           type_name(wanted)))
        .found(fmt::format("\"{}\" of type {}", group.name, type_name(group.type)))
        .expected(fmt::format("a ProxyGroup of type {}", type_name(wanted)))
        .note({.pos = group.pos(),
               .object = group.doc->object_name(),
               .text = fmt::format("is of type {}", type_name(group.type))});
}

void check_ignored(const classify::ParentInput& member, Diagnostics& diagnostics) {
    const On kind = member.doc->kind.text() == "Service" ? On::Service : On::Ingress;
    const auto warn = [&](std::string_view key, Pos pos, std::string_view hint) {
        classify::about(member, diagnostics)
            .warning("annotation-without-effect", pos,
                     fmt::format("\"{}\" has no effect on what a group serves", key))
            .hint(hint);
    };
    if (const Value* wanted = member.annotation(kDataplane)) {
        warn(kDataplane, wanted->pos(), "move it to the group");
    }
    for (const auto& [key, on, is_switch, in_group] : kAnnotations) {
        // Reported as an annotation of another kind.
        const bool is_misplaced = on != On::Both && on != kind;
        if (in_group != InGroup::Ignored || is_misplaced) {
            continue;
        }
        const Value* label = key == annotation::kProxyClass ? member.label(key) : nullptr;
        const Value* found = label == nullptr ? member.annotation(key) : label;
        if (found == nullptr) {
            continue;
        }
        warn(key, found->pos(),
             key == annotation::kProxyClass
                 ? "the group has a \"spec.proxyClass\""
                 : "remove it, or remove the annotation "
                   "\"tailscale.com/proxy-group\" to use a separate proxy");
    }
}

std::vector<Workload> plan_proxy_groups(const GroupIndex& groups, const ProxyInputs& inputs,
                                        Diagnostics& diagnostics) {
    std::vector<Workload> planned;
    for (const ProxyGroupInput& group : groups.sorted()) {
        if (is_rendered(inputs.loaded, *group.doc)) {
            if (std::optional<Workload> workload = plan_group(group, inputs, diagnostics)) {
                planned.push_back(std::move(*workload));
            }
        }
    }
    return planned;
}

}  // namespace renderer::plan
