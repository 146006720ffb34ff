#include "renderer/plan/checks/proxy_class_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/kube/api.h"
#include "renderer/kube/image_reference.h"
#include "renderer/kube/quantity.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/checks/object_checks.h"

namespace renderer {

namespace {

// Where a check stands: each reports at a place of the class.
struct Checker {
    const ProxyClassInput& input;
    Diagnostics& diagnostics;

    void report(Diagnostic found) const {
        found.object = input.doc->object_name();
        if (!found.pos.known()) {
            found.pos = input.pos();
        }
        diagnostics.add(std::move(found));
    }
};

// Ours decide what the controller does: a class must not be able to.
void check_reserved_keys(const Checker& checker, const Value* entries) {
    if (entries == nullptr) {
        return;
    }
    for (const Member& member : entries->members()) {
        if (member.name().starts_with(TAILRENDER_DOMAIN "/")) {
            checker.report(
                {.rule = "reserved-key",
                 .pos = member.key.pos(),
                 .message = fmt::format("\"{}\" cannot be set by a ProxyClass", member.name()),
                 .expected = "a key outside " TAILRENDER_DOMAIN,
                 .hint = "remove it: tailrender sets it where it is needed"});
        }
    }
}

void check_entries(const Checker& checker) {
    const ProxyClassInput& input = checker.input;
    check_labels(input, input.set_labels, checker.diagnostics);
    check_annotations(input, input.set_annotations, checker.diagnostics);
    check_labels(input, input.pod_labels, checker.diagnostics);
    check_annotations(input, input.pod_annotations, checker.diagnostics);
    check_labels(input, input.monitor_labels, checker.diagnostics);
    for (const Value* entries :
         {input.set_labels, input.set_annotations, input.pod_labels, input.pod_annotations}) {
        check_reserved_keys(checker, entries);
    }
}

bool is_env_name(std::string_view name) {
    const auto fits = [](char c, bool first) {
        return is_letter(c) || c == '-' || c == '.' || c == '_' || (!first && is_digit(c));
    };
    return !name.empty() && fits(name.front(), true) &&
           std::ranges::all_of(name, [&](char c) { return fits(c, false); });
}

void check_env_names(const Checker& checker, const ClassContainerInput& container) {
    for (const ClassEnvInput& entry : container.env) {
        if (entry.name != nullptr && !is_env_name(entry.name->text())) {
            checker.report(
                {.rule = "invalid-object",
                 .pos = entry.name->pos(),
                 .message =
                     fmt::format("invalid environment variable name \"{}\"", entry.name->text()),
                 .expected =
                     "letters, digits, \"-\", \"_\" and \".\", not beginning with a digit"});
        }
    }
}

bool is_tailscale_variable(std::string_view name) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return name.starts_with("TS_") || upper == "EXPERIMENTAL_TS_CONFIGFILE_PATH" ||
           upper == "EXPERIMENTAL_ALLOW_PROXYING_CLUSTER_TRAFFIC_VIA_INGRESS";
}

// Other variables of the container are made of these. The class's entries stand behind all of them,
// where `$(POD_IP)` would no longer find the name.
bool is_referred_to(std::string_view name) {
    constexpr std::array<std::string_view, 3> kNames = {"POD_IP", "POD_NAME", "TS_DEBUG_ADDR_PORT"};
    return std::ranges::find(kNames, name) != kNames.end();
}

void check_proxy_env(const Checker& checker) {
    for (const ClassEnvInput& entry : checker.input.container.env) {
        const std::string_view name = entry.name == nullptr ? "" : entry.name->text();
        if (is_referred_to(name)) {
            checker.report(
                {.rule = "reserved-env",
                 .pos = entry.name->pos(),
                 .message = fmt::format("other variables of the container use \"{}\"", name),
                 .expected = "a variable that no other variable refers to",
                 .hint = "remove it"});
        } else if (is_tailscale_variable(name)) {
            checker.report({.severity = Severity::Warning,
                            .rule = "custom-env",
                            .pos = entry.name->pos(),
                            .message = fmt::format(
                                "\"{}\" overrides what the proxies of this class need", name),
                            .hint = "remove it, unless you are sure that it works"});
        }
    }
}

void check_image(const Checker& checker, const ClassContainerInput& container) {
    if (container.image == nullptr || container.image->text().empty()) {
        return;
    }
    const std::string_view image = container.image->text();
    const std::string error = parse_image_reference(image).error;
    if (!error.empty()) {
        checker.report({.rule = "invalid-image",
                        .pos = container.image->pos(),
                        .message = error,
                        .found = fmt::format("\"{}\"", image),
                        .expected = "an image such as \"registry.example.com/tailscale:v1.96.5\""});
    }
}

void check_amounts(const Checker& checker, const Value* amounts) {
    if (amounts == nullptr) {
        return;
    }
    for (const Member& amount : amounts->members()) {
        const Value& value = amount.value;
        if (!canonical_amount(value)) {
            checker.report({.rule = "invalid-object",
                            .pos = value.pos().known() ? value.pos() : amount.key.pos(),
                            .message = fmt::format("invalid quantity \"{}\"", amount.name()),
                            .found = value.is_string() || value.is_number()
                                         ? fmt::format("\"{}\"", value.text())
                                         : std::string(kind_name(value)),
                            .expected = "a number with or without a suffix, such as \"100m\" or "
                                        "\"64Mi\"",
                            .hint = value.is_number() ? "put it in quotes" : ""});
        }
    }
}

void check_container(const Checker& checker, const ClassContainerInput& container) {
    check_env_names(checker, container);
    check_image(checker, container);
    check_amounts(checker, container.requests);
    check_amounts(checker, container.limits);
    if (container.claims != nullptr && container.claims->size() > 0) {
        checker.report({.severity = Severity::Warning,
                        .rule = "claims-ignored",
                        .pos = container.claims->pos(),
                        .message = "\"resources.claims\" of a ProxyClass has no effect",
                        .hint = "remove it: a proxy's pod has no resource claims"});
    }
}

void check_init_debug(const Checker& checker) {
    if (const Value* debug = checker.input.init_container.debug; debug != nullptr) {
        checker.report({.rule = "debug-of-init-container",
                        .pos = debug->pos(),
                        .message = "debug settings cannot be configured on the init container",
                        .hint = "move \"debug\" to \"tailscaleContainer\""});
    }
}

void check_monitor(const Checker& checker, const Settings& settings) {
    const ProxyClassInput& input = checker.input;
    if (!input.monitor_enable) {
        return;
    }
    if (!input.metrics_enable) {
        checker.report({.rule = "invalid-object",
                        .pos = input.monitor_enable_pos,
                        .message = "a ServiceMonitor needs metrics",
                        .found = "spec.metrics.enable: false",
                        .hint = "set both to true, or both to false"});
    } else if (!settings.service_monitors) {
        checker.report({.rule = "no-service-monitor",
                        .pos = input.monitor_enable_pos,
                        .message = "the cluster does not have the kind ServiceMonitor",
                        .found = "tailrender.serviceMonitors: false",
                        .hint = "set \"tailrender.serviceMonitors: true\" when the CRD "
                                "\"servicemonitors.monitoring.coreos.com\" is installed"});
    }
}

std::string range_text(const ClassPortInput& port) {
    return port.end_port == 0 ? fmt::format("{}", port.port)
                              : fmt::format("{}-{}", port.port, port.end_port);
}

void report_range(const Checker& checker, Pos pos, std::string message, std::string expected) {
    checker.report({.rule = "invalid-port-range",
                    .pos = pos,
                    .message = std::move(message),
                    .found = fmt::format("\"{}\"", port_list(checker.input)),
                    .expected = std::move(expected)});
}

// True when the range is one.
bool check_range(const Checker& checker, const ClassPortInput& port, const Settings& settings) {
    const std::string text = range_text(port);
    if (!is_port_number(port.port)) {
        report_range(checker, port.port_pos, fmt::format("invalid port \"{}\"", port.port),
                     "a number from 1 to 65535");
    } else if (port.end_port != 0 && !is_port_number(port.end_port)) {
        report_range(checker, port.end_port_pos, fmt::format("invalid port \"{}\"", port.end_port),
                     "a number from 1 to 65535");
    } else if (port.end_port != 0 && port.end_port < port.port) {
        report_range(checker, port.end_port_pos,
                     fmt::format("port range \"{}\" ends before it begins", text),
                     "an endPort that is not below the port");
    } else if (settings.node_ports && (port.port < settings.node_ports->first ||
                                       port_range(port).last > settings.node_ports->last)) {
        report_range(checker, port.port_pos,
                     fmt::format("range \"{}\" is outside the cluster's NodePorts", text),
                     fmt::format("ports from {} to {} (\"tailrender.nodePortRange\")",
                                 settings.node_ports->first, settings.node_ports->last));
    } else {
        return true;
    }
    return false;
}

void check_ports(const Checker& checker, const Settings& settings) {
    const std::vector<ClassPortInput>& ports = checker.input.ports;
    std::vector<const ClassPortInput*> sorted;
    for (const ClassPortInput& port : ports) {
        if (check_range(checker, port, settings)) {
            sorted.push_back(&port);
        }
    }
    std::ranges::stable_sort(sorted, {}, &ClassPortInput::port);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (overlap(port_range(*sorted[i - 1]), port_range(*sorted[i]))) {
            report_range(checker, sorted[i]->port_pos,
                         fmt::format("overlapping ranges: \"{}\" and \"{}\"",
                                     range_text(*sorted[i - 1]), range_text(*sorted[i])),
                         "ranges without common ports");
        }
    }
}

}  // namespace

PortRange port_range(const ClassPortInput& port) {
    return {port.port, port.end_port == 0 ? port.port : port.end_port};
}

bool overlap(const PortRange& a, const PortRange& b) {
    return a.first <= b.last && b.first <= a.last;
}

std::string port_list(const ProxyClassInput& input) {
    std::string list;
    for (const ClassPortInput& port : input.ports) {
        list += (list.empty() ? "" : ", ") + range_text(port);
    }
    return list;
}

void check_proxy_class(const ProxyClassInput& input, const Settings& settings,
                       Diagnostics& diagnostics) {
    const Checker checker{input, diagnostics};
    check_entries(checker);
    check_proxy_env(checker);
    check_container(checker, input.container);
    check_container(checker, input.init_container);
    check_init_debug(checker);
    check_monitor(checker, settings);
    check_ports(checker, settings);
}

}  // namespace renderer
