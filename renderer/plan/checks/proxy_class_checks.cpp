#include "renderer/plan/checks/proxy_class_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/contract/domain.h"
#include "renderer/contract/environment.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/proxy_class_rules.h"
#include "renderer/kube/quantity.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/grammar.h"

namespace renderer::plan {

namespace {

// What checks need to report errors at positions in the class.
struct Checker {
    const classify::CustomResource& input;
    Diagnostics& diagnostics;

    Finding say(Severity severity, std::string_view rule, Pos pos, std::string message) const {
        return classify::about(input, diagnostics)
            .say(severity, rule, pos.known() ? pos : input.pos(), std::move(message));
    }
    Finding error(std::string_view rule, Pos pos, std::string message) const {
        return say(Severity::Error, rule, pos, std::move(message));
    }
    Finding warning(std::string_view rule, Pos pos, std::string message) const {
        return say(Severity::Warning, rule, pos, std::move(message));
    }
};

// Keys of tailrender control the controller, so a class must not set them.
void check_reserved_keys(const Checker& checker, const Value* entries) {
    for (const Member& member : members_of(entries)) {
        if (member.name().starts_with(TAILRENDER_DOMAIN "/")) {
            checker
                .error("reserved-key", member.key.pos(),
                       fmt::format("\"{}\" cannot be set by a ProxyClass", member.name()))
                .expected("a key outside " TAILRENDER_DOMAIN)
                .hint("remove it: tailrender sets it where it is needed");
        }
    }
}

void check_entries(const Checker& checker) {
    const classify::CustomResource& input = checker.input;
    for (const classify::Fields& owner :
         {input.fields_at({"statefulSet"}), input.fields_at({"statefulSet", "pod"})}) {
        check_label_values(input, owner.map("labels"), checker.diagnostics);
        check_reserved_keys(checker, owner.map("labels"));
        check_reserved_keys(checker, owner.map("annotations"));
    }
    check_label_values(input, input.fields_at({"metrics", "serviceMonitor"}).map("labels"),
                       checker.diagnostics);
}

void check_env_names(const Checker& checker, const classify::Fields& container) {
    for (const classify::EnvInput& entry : container.env("env")) {
        if (!is_env_name(entry.name)) {
            checker
                .error("invalid-object", entry.pos,
                       fmt::format("invalid environment variable name \"{}\"", entry.name))
                .expected("letters, digits, \"-\", \"_\" and \".\", not beginning with a digit");
        }
    }
}

bool is_tailscale_variable(std::string_view name) {
    const std::string lower = lower_case(name);
    return name.starts_with("TS_") || lower == "experimental_ts_configfile_path" ||
           lower == "experimental_allow_proxying_cluster_traffic_via_ingress";
}

// True for variables that other variables of the container refer to. The entries of the class come
// after all of them, where `$(POD_IP)` would no longer be resolved.
bool is_referred_to(std::string_view name) {
    constexpr std::array<std::string_view, 3> kNames = {variable::kPodIp, variable::kPodName,
                                                        variable::kDebugAddress};
    return std::ranges::find(kNames, name) != kNames.end();
}

void check_proxy_env(const Checker& checker, const classify::Fields& container) {
    for (const classify::EnvInput& entry : container.env("env")) {
        if (is_referred_to(entry.name)) {
            checker
                .error("reserved-env", entry.pos,
                       fmt::format("other variables of the container use \"{}\"", entry.name))
                .expected("a variable that no other variable refers to")
                .hint("remove it");
        } else if (is_tailscale_variable(entry.name)) {
            checker
                .warning(
                    "custom-env", entry.pos,
                    fmt::format("\"{}\" overrides what the proxies of this class need", entry.name))
                .hint("remove it, unless you are sure that it works");
        }
    }
}

// People write the units of other programs.
std::string hint_of_amount(std::string_view text) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos) {
        return {};
    }
    const std::string unit = lower_case(text.substr(digits));
    const std::string_view number = text.substr(0, digits);
    for (const char prefix : {'K', 'M', 'G', 'T'}) {
        const std::string small = lower_case(std::string_view(&prefix, 1));
        if (unit == small + "b" || unit == small + "ib" || unit == small || unit == small + "i") {
            return fmt::format("write \"{}{}i\"", number, prefix);
        }
    }
    return {};
}

void check_amounts(const Checker& checker, const Value* amounts) {
    for (const Member& amount : members_of(amounts)) {
        const Value& value = amount.value;
        if (value.is_string() && !canonical_amount(value)) {
            checker
                .error(
                    "invalid-object", value.pos(),
                    fmt::format("invalid quantity \"{}\" of \"{}\"", value.text(), amount.name()))
                .expected("a number with or without a suffix, such as \"100m\" or \"64Mi\"")
                .hint(hint_of_amount(value.text()));
        }
    }
}

void check_container(const Checker& checker, const classify::Fields& container) {
    const classify::Fields resources(container.map("resources"));
    check_env_names(checker, container);
    check_amounts(checker, resources.map("requests"));
    check_amounts(checker, resources.map("limits"));
    if (const Value* claims = resources.list("claims"); claims != nullptr && claims->size() > 0) {
        checker
            .warning("claims-ignored", claims->pos(),
                     "\"resources.claims\" of a ProxyClass has no effect")
            .hint("remove it: a proxy's pod has no resource claims");
    }
}

// Reports an error that the controller would also report.
void report_rule(const Checker& checker, const ClassFault& fault) {
    switch (fault.rule) {
        case ClassRule::LabelKey:
            return report_key(checker.input, "label", *fault.at, checker.diagnostics);
        case ClassRule::AnnotationKey:
            return report_key(checker.input, "annotation", *fault.at, checker.diagnostics);
        case ClassRule::AnnotationsSize:
            return report_size(checker.input, *fault.at, checker.diagnostics);
        case ClassRule::Image:
            checker.error("invalid-image", fault.at->pos(), fault.reason)
                .found(fmt::format("\"{}\"", fault.at->text()))
                .expected("an image such as \"registry.example.com/tailscale:v1.96.5\"");
            return;
        case ClassRule::InitDebug:
            checker
                .error("debug-of-init-container", fault.at->pos(),
                       "debug settings cannot be configured on the init container")
                .hint("move \"debug\" to \"tailscaleContainer\"");
            return;
    }
}

void check_rules(const Checker& checker) {
    if (checker.input.spec != nullptr) {
        for (const ClassFault& fault : proxy_class_faults(*checker.input.spec)) {
            report_rule(checker, fault);
        }
    }
}

void check_monitor(const Checker& checker, const Settings& settings) {
    const classify::Fields metrics = checker.input.fields_at({"metrics"});
    const classify::Fields monitor(metrics.map("serviceMonitor"));
    if (!monitor.flag("enable")) {
        return;
    }
    if (!metrics.flag("enable")) {
        checker.error("invalid-object", monitor.pos("enable"), "a ServiceMonitor needs metrics")
            .found("spec.metrics.enable: false")
            .hint("set both to true, or both to false");
    } else if (!settings.service_monitors) {
        checker
            .error("no-service-monitor", monitor.pos("enable"),
                   "the cluster does not have the kind ServiceMonitor")
            .found("tailrender.serviceMonitors: false")
            .hint(
                "set \"tailrender.serviceMonitors: true\" when the CRD "
                "\"servicemonitors.monitoring.coreos.com\" is installed");
    }
}

void report_range(const Checker& checker, Pos pos, std::string message, std::string_view expected) {
    checker.error("invalid-port-range", pos, std::move(message))
        .found(fmt::format("\"{}\"", port_list(class_ports(checker.input.spec))))
        .expected(expected);
}

// Returns true if the range is valid.
bool check_range(const Checker& checker, const ClassPort& port, const Settings& settings) {
    constexpr std::string_view kNumber = "a number from 1 to 65535";
    switch (port_fault(port)) {
        case PortFault::Port:
            report_range(checker, port.port_pos, fmt::format("invalid port \"{}\"", port.port),
                         kNumber);
            return false;
        case PortFault::End:
            report_range(checker, port.end_pos, fmt::format("invalid port \"{}\"", port.end),
                         kNumber);
            return false;
        case PortFault::Order:
            report_range(checker, port.end_pos,
                         fmt::format("port range \"{}\" ends before it begins", port.text()),
                         "an endPort that is not below the port");
            return false;
        case PortFault::None:
            break;
    }
    const std::optional<PortRange>& known = settings.node_ports;
    if (known && (port.port < known->first || port.last() > known->last)) {
        report_range(checker, port.port_pos,
                     fmt::format("range \"{}\" is outside the cluster's NodePorts", port.text()),
                     fmt::format("ports from {} to {} (\"tailrender.nodePortRange\")", known->first,
                                 known->last));
        return false;
    }
    return true;
}

void check_ports(const Checker& checker, const Settings& settings) {
    std::vector<ClassPort> sorted;
    for (const ClassPort& port : class_ports(checker.input.spec)) {
        if (check_range(checker, port, settings)) {
            sorted.push_back(port);
        }
    }
    std::ranges::stable_sort(sorted, {}, &ClassPort::port);
    for (const ClassPort* port : find_overlaps(sorted)) {
        report_range(checker, port->port_pos,
                     fmt::format("overlapping ranges: \"{}\" and \"{}\"", std::prev(port)->text(),
                                 port->text()),
                     "ranges without common ports");
    }
}

}  // namespace

void check_proxy_class(const classify::CustomResource& input, const Settings& settings,
                       Diagnostics& diagnostics) {
    const Checker checker{input, diagnostics};
    check_dataplane(input, diagnostics);
    check_entries(checker);
    const classify::Fields pod = input.fields_at({"statefulSet", "pod"});
    const classify::Fields container(pod.map("tailscaleContainer"));
    check_proxy_env(checker, container);
    check_container(checker, container);
    check_container(checker, classify::Fields(pod.map("tailscaleInitContainer")));
    check_rules(checker);
    check_monitor(checker, settings);
    check_ports(checker, settings);
}

}  // namespace renderer::plan
