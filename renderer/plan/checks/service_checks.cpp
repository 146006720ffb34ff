#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/port_number.h"
#include "renderer/kube/quantity.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/grammar.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kPortRange = "a number from 1 to 65535";

std::string_view name_of(classify::Protocol protocol) {
    switch (protocol) {
        case classify::Protocol::Tcp:
            return "TCP";
        case classify::Protocol::Udp:
            return "UDP";
        case classify::Protocol::Sctp:
            break;
    }
    return "SCTP";
}

void check_name(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (lacks_name(service)) {
        report_invalid(service, service.pos(), "the Service has no name", "", "metadata.name",
                       diagnostics);
    } else if (!service.name.empty() && !is_dns1035_label(service.name)) {
        report_invalid(service, service.name_pos(),
                       fmt::format("invalid Service name \"{}\"", service.name), "",
                       "lower-case letters, digits and dashes, at most 63, beginning with a letter",
                       diagnostics);
    }
}

void check_target(const classify::ServiceInput& service, const classify::ServicePort& port,
                  Diagnostics& diagnostics) {
    if (port.target_port == nullptr) {
        return;
    }
    const Value& target = *port.target_port;
    const std::optional<std::int64_t> number = whole_number(target);
    const bool fine = number ? is_port_number(*number) : is_port_name(text_of(target));
    if (!fine && (number || target.is_string())) {
        report_invalid(service, target.pos(), "invalid \"targetPort\"",
                       fmt::format("\"{}\"", target.text()),
                       "a number from 1 to 65535, or a name of at most 15 lower-case letters, "
                       "digits and dashes",
                       diagnostics);
    }
}

void check_port(const classify::ServiceInput& service, const classify::ServicePort& port,
                Diagnostics& diagnostics) {
    if (!is_port_number(port.port)) {
        report_invalid(service, port.pos, "port number out of range", fmt::format("{}", port.port),
                       kPortRange, diagnostics);
    }
    if (port.node_port < 0 || port.node_port > kMaxPort) {
        report_invalid(service, port.pos, "\"nodePort\" is out of range",
                       fmt::format("{}", port.node_port), kPortRange, diagnostics);
    }
    if (port.name.empty() && service.ports.size() > 1) {
        report_invalid(service, port.pos, fmt::format("port {} has no name", port.port), "",
                       "a name for each port, as the Service has several", diagnostics);
    } else if (!port.name.empty() && !is_dns1123_label(port.name)) {
        report_invalid(service, port.pos, fmt::format("invalid port name \"{}\"", port.name), "",
                       kDnsLabelGrammar, diagnostics);
    }
    check_target(service, port, diagnostics);
}

// Reports duplicate ports. It is quadratic, because a Service has few ports.
void check_repeated_ports(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    for (auto port = service.ports.begin(); port != service.ports.end(); ++port) {
        const auto earlier = [&](auto same) {
            return std::any_of(service.ports.begin(), port, same);
        };
        if (!port->name.empty() &&
            earlier([&](const classify::ServicePort& other) { return other.name == port->name; })) {
            report_invalid(service, port->pos,
                           fmt::format("duplicate port name \"{}\"", port->name), "",
                           "a unique name for each port", diagnostics);
        }
        if (earlier([&](const classify::ServicePort& other) {
                return other.port == port->port && other.protocol == port->protocol;
            })) {
            report_invalid(
                service, port->pos,
                fmt::format("duplicate port {} for {}", port->port, name_of(port->protocol)), "",
                "each number once per protocol", diagnostics);
        }
    }
}

void check_external_name(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    std::string_view name = service.external_name;
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    if (name.empty()) {
        report_invalid(service, service.pos(), "Service of type ExternalName without a target", "",
                       "spec.externalName", diagnostics);
    } else if (!is_dns1123_subdomain(name)) {
        report_invalid(service, service.pos(),
                       fmt::format("invalid externalName \"{}\"", service.external_name), "",
                       "a DNS name in lower case", diagnostics);
    }
}

void check_address(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (!service.cluster_ip.empty() && !ip_family(service.cluster_ip)) {
        report_invalid(service, service.cluster_ip_pos, "\"clusterIP\" is not an IP address",
                       fmt::format("\"{}\"", service.cluster_ip), "an IP address, or no such field",
                       diagnostics);
    }
    if (service.ports.empty() && !service.headless) {
        report_invalid(service, service.pos(), "the Service has no ports", "",
                       "spec.ports with at least one entry", diagnostics);
    }
}

}  // namespace

void check_object(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.type != classify::ServiceType::ExternalName) {
        check_address(service, diagnostics);
    } else {
        check_external_name(service, diagnostics);
    }
    check_egress_object(service, diagnostics);
}

void check_egress_object(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    check_name(service, diagnostics);
    check_metadata(service, diagnostics);
    const bool has_address = service.headless || !service.cluster_ip.empty();
    if (service.type == classify::ServiceType::ExternalName && has_address) {
        report_invalid(service, service.cluster_ip_pos,
                       "a Service of type ExternalName has no cluster IP", "\"clusterIP\"",
                       "no such field", diagnostics);
    }
    for (const classify::ServicePort& port : service.ports) {
        check_port(service, port, diagnostics);
    }
    check_repeated_ports(service, diagnostics);
}

}  // namespace renderer::plan
