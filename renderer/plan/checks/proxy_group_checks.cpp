#include "renderer/plan/checks/proxy_group_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/ascii.h"
#include "renderer/contract/group_config.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/install/controller.h"

namespace renderer::plan {

namespace {

constexpr std::size_t kMaxStatefulSetName = 52;  // a label has the name and a hash
constexpr std::array<std::string_view, 2> kChartNames = {"operator", "proxies"};

// The limit exists because every pod mounts two volumes for every replica.
void check_replicas(const ProxyGroupInput& group, Diagnostics& diagnostics) {
    const bool too_many = group.replicas > kMaxReplicas;
    if (group.replicas < 0 || too_many) {
        classify::about(group, diagnostics)
            .error(too_many ? "too-many-replicas" : "invalid-object", group.replicas_pos,
                   "\"spec.replicas\" is out of range")
            .found(fmt::format("{}", group.replicas))
            .expected(fmt::format("a number from 0 to {}", kMaxReplicas));
    }
}

void check_fields(const ProxyGroupInput& group, Diagnostics& diagnostics) {
    check_replicas(group, diagnostics);
    check_tags(group, group.tags, "tag:web", diagnostics);
    if (group.hostname_prefix.pos.known() && !is_hostname_prefix(group.hostname_prefix.text)) {
        classify::about(group, diagnostics)
            .error("invalid-hostname", group.hostname_prefix.pos,
                   fmt::format("invalid hostnamePrefix \"{}\"", group.hostname_prefix.text))
            .expected("1 to 62 lower-case letters, digits and dashes, no dash first");
    }
    if (group.api_hostname.pos.known() && !is_dns1123_label(group.api_hostname.text)) {
        report_invalid(group, group.api_hostname.pos,
                       fmt::format("invalid hostname \"{}\"", group.api_hostname.text), "",
                       "1 to 63 lower-case letters, digits and dashes, no dash at either end",
                       diagnostics);
    }
}

void refuse_name(const ProxyGroupInput& group, std::string_view rule, std::string message,
                 std::string_view expected, Diagnostics& diagnostics) {
    classify::about(group, diagnostics)
        .error(rule, group.name_pos(), std::move(message))
        .expected(expected)
        .hint("rename the group");
}

// The limit exists because volume names of the pods are derived from the group's name.
std::size_t longest_name(GroupType type) {
    constexpr std::size_t kEgressVolume = kEgressConfigSuffix.size();
    constexpr std::size_t kIngressVolume = kIngressConfigSuffix.size();
    switch (type) {
        case GroupType::Egress:
            return kMaxLabel - kEgressVolume;
        case GroupType::Ingress:
            return kMaxLabel - kIngressVolume;
        case GroupType::KubeApiServer:
        case GroupType::Unset:
            break;
    }
    return kMaxStatefulSetName;
}

void check_taken_name(const ProxyGroupInput& group, Diagnostics& diagnostics) {
    const bool is_account = group.name == kAuthProxyAccount;
    if (is_account || std::ranges::find(kChartNames, group.name) != kChartNames.end()) {
        refuse_name(
            group, "reserved-name",
            fmt::format("the ProxyGroup name \"{}\" is reserved", group.name),
            is_account
                ? "another name: the chart's ServiceAccount for the API server proxy has this one"
                : "another name: the chart has a ServiceAccount, a Role and a RoleBinding of this "
                  "name",
            diagnostics);
    }
}

void check_name(const ProxyGroupInput& group, Diagnostics& diagnostics) {
    const std::size_t longest = longest_name(group.type);
    if (group.name.find('.') != std::string_view::npos) {
        refuse_name(
            group, "invalid-group-name",
            fmt::format(
                "invalid ProxyGroup name \"{}\": its pods and their volumes are named after it",
                group.name),
            "a name without dots", diagnostics);
    } else if (group.name.size() > longest) {
        refuse_name(group, "invalid-group-name",
                    fmt::format("ProxyGroup name is too long: its StatefulSet and the volumes of "
                                "its pods are named after it"),
                    fmt::format("at most {} bytes, not {}", longest, group.name.size()),
                    diagnostics);
    }
    check_taken_name(group, diagnostics);
}

}  // namespace

void check_object(const ProxyGroupInput& group, Diagnostics& diagnostics) {
    check_custom_resource(group, diagnostics);
    check_name(group, diagnostics);
    check_fields(group, diagnostics);
}

void check_service_names(const ProxyGroupInput& group, const ProxyClassPlan& chosen,
                         Diagnostics& diagnostics) {
    if (!chosen.metrics && !chosen.static_endpoints) {
        return;
    }
    if (!group.name.empty() && !is_lower(group.name.front())) {
        refuse_name(group, "invalid-group-name",
                    fmt::format("invalid ProxyGroup name \"{}\": the Services of its static "
                                "endpoints are named after it",
                                group.name),
                    "a name that begins with a letter", diagnostics);
    }
    const std::size_t longest =
        fmt::formatted_size("{}-{}-nodeport", group.name, group.replicas - 1);
    if (chosen.static_endpoints && longest > kMaxLabel) {
        refuse_name(
            group, "invalid-group-name",
            "ProxyGroup name is too long: the Services of its static endpoints are named after it",
            fmt::format("names of at most {} bytes, not {}", kMaxLabel, longest), diagnostics);
    }
}

}  // namespace renderer::plan
