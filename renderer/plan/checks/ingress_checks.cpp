#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/kube/port_number.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/checks/object_checks.h"
#include "renderer/plan/grammar.h"

namespace renderer::plan {

namespace {

constexpr std::array<std::string_view, 5> kBadParts = {"//", "/./", "/../", "%2f", "%2F"};

void check_name(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    if (lacks_name(ingress)) {
        report_invalid(ingress, ingress.pos(), "the Ingress has no name", "", "metadata.name",
                       diagnostics);
    } else if (!ingress.name.empty() && !is_dns1123_subdomain(ingress.name)) {
        report_invalid(ingress, ingress.name_pos(),
                       fmt::format("invalid Ingress name \"{}\"", ingress.name), "",
                       "lower-case letters, digits, dashes and dots", diagnostics);
    }
}

bool is_host(std::string_view host) {
    if (host.starts_with("*.")) {
        host.remove_prefix(2);
    }
    return is_dns1123_subdomain(host);
}

void check_host(const classify::IngressInput& ingress, std::string_view host, Pos pos,
                Diagnostics& diagnostics) {
    if (!is_host(host)) {
        report_invalid(ingress, pos, fmt::format("invalid host \"{}\"", host), "",
                       "a DNS name in lower case", diagnostics);
    }
}

void check_hosts(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    for (const classify::IngressHost& host : ingress.tls_hosts) {
        // The first host names the device, so an invalid DNS label in it is reported as an invalid
        // hostname.
        const bool names_device = ingress.has_tls_host && host.pos == ingress.tls_host_pos;
        if (!names_device || dns_label_error(host.name.substr(0, host.name.find('.'))).empty()) {
            check_host(ingress, host.name, host.pos, diagnostics);
        }
    }
    for (const classify::IngressRule& rule : ingress.rules) {
        if (ip_family(rule.host)) {  // unlike in spec.tls
            report_invalid(ingress, rule.host_pos,
                           fmt::format("invalid host \"{}\" in a rule", rule.host), "",
                           "a DNS name, not an address", diagnostics);
        } else if (!rule.host.empty() && rule.host != ingress.tls_host) {
            check_host(ingress, rule.host, rule.host_pos, diagnostics);
        }
    }
}

void check_path(const classify::IngressInput& ingress, const classify::IngressPath& path,
                Diagnostics& diagnostics) {
    const bool free_form = path.path_type == classify::PathType::ImplementationSpecific ||
                           path.path_type == classify::PathType::Unset;
    if (free_form && path.path.empty()) {
        return;
    }
    if (!path.path.starts_with('/')) {
        report_invalid(ingress, path.path_pos,
                       fmt::format("path \"{}\" is not absolute", path.path), "",
                       "a path that begins with \"/\"", diagnostics);
        return;
    }
    const bool bad = std::ranges::any_of(kBadParts, [&](std::string_view part) {
        return path.path.find(part) != std::string_view::npos;
    });
    if (!free_form && (bad || path.path.ends_with("/..") || path.path.ends_with("/."))) {
        report_invalid(ingress, path.path_pos,
                       fmt::format("path \"{}\" is not normalized", path.path), "",
                       "a path without \"//\", \"/.\", \"/..\" and \"%2f\"", diagnostics);
    }
}

// A backend without Service or port is reported when backends are planned.
void check_backend(const classify::IngressInput& ingress, const classify::IngressBackend& backend,
                   Diagnostics& diagnostics) {
    if (!backend.has_service) {
        return;
    }
    if (backend.has_resource) {
        report_invalid(ingress, backend.pos, "a backend has both a Service and a resource",
                       "\"service\" and \"resource\"", "one of the two", diagnostics);
    }
    if (!backend.port_name.empty() && backend.port_number != 0) {
        report_invalid(ingress, backend.port_pos, "a backend's port has both a name and a number",
                       "\"name\" and \"number\"", "one of the two", diagnostics);
    }
    if (backend.port_number != 0 && !is_port_number(backend.port_number)) {
        report_invalid(ingress, backend.port_pos, "a backend's port number is out of range",
                       fmt::format("{}", backend.port_number), "a number from 1 to 65535",
                       diagnostics);
    }
}

void warn_of_tls_secrets(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    for (const Value& entry : items_of(ingress.doc->root.at({"spec", "tls"}))) {
        const Value* secret = entry.find("secretName");
        if (secret != nullptr && !text_of(secret).empty()) {
            classify::about(ingress, diagnostics)
                .warning(
                    "tls-secret-without-effect", secret->pos(),
                    "the Secret of \"spec.tls\" has no effect: the tailnet gives the device its "
                    "certificate")
                .found(fmt::format("\"{}\"", text_of(secret)))
                .hint("remove \"secretName\"");
        }
    }
}

}  // namespace

void check_object(const classify::IngressInput& ingress, Diagnostics& diagnostics) {
    if (!ingress.served) {
        report_invalid(ingress, ingress.doc->api_version.pos(),
                       "this version of Ingress is no longer served",
                       fmt::format("\"{}\"", ingress.doc->api_version.text()),
                       "\"networking.k8s.io/v1\"", diagnostics);
        return;
    }
    check_name(ingress, diagnostics);
    check_metadata(ingress, diagnostics);
    check_hosts(ingress, diagnostics);
    warn_of_tls_secrets(ingress, diagnostics);
    if (ingress.has_default_backend) {
        check_backend(ingress, ingress.default_backend, diagnostics);
    }
    for (const classify::IngressRule& rule : ingress.rules) {
        for (const classify::IngressPath& path : rule.paths) {
            check_path(ingress, path, diagnostics);
            check_backend(ingress, path.backend, diagnostics);
        }
    }
}

}  // namespace renderer::plan
