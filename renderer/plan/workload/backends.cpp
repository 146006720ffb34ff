#include "renderer/plan/workload/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/port_number.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/hostnames.h"
#include "renderer/plan/service_index.h"

namespace renderer::plan {

namespace {

constexpr std::int64_t kHttpsPort = 443;
constexpr std::string_view kHttps = "https";
constexpr std::string_view kRoot = "/";

// Returns the backend if it is in the form of networking.k8s.io/v1beta1, else nullptr.
const Value* old_backend(const Value& value, const classify::IngressBackend& backend) {
    if (value.is_map() && value.pos() == backend.pos && value.find("serviceName") != nullptr) {
        return &value;
    }
    for (const Value& item : items_of(&value)) {
        if (const Value* found = old_backend(item, backend)) {
            return found;
        }
    }
    for (const Member& member : members_of(&value)) {
        if (const Value* found = old_backend(member.value, backend)) {
            return found;
        }
    }
    return nullptr;
}

Pos key_pos(const Value& map, std::string_view key) {
    for (const Member& member : members_of(&map)) {
        if (member.name() == key) {
            return member.key.pos();
        }
    }
    return {};
}

class BackendPlanner {
public:
    BackendPlanner(const classify::IngressInput& ingress, const ServedHost& host,
                   const ProxyInputs& inputs, Diagnostics& diagnostics)
        : ingress_(ingress), served_(host), inputs_(inputs), out_(diagnostics) {}

    // A later entry with the same path replaces the earlier one, as in the operator.
    PlannedBackends run() {
        const std::size_t errors = out_.error_count();
        if (ingress_.has_default_backend) {
            take(kRoot, ingress_.default_backend);
        }
        for (const classify::IngressRule& rule : ingress_.rules) {
            take_rule(rule);
        }
        if (planned_.empty() && !skipped_ && out_.error_count() == errors) {
            report("no-valid-backend", ingress_.pos(), "Ingress without backends",
                   "spec.defaultBackend, or a rule with paths", "")
                .is_absence();
        }
        return result();
    }

private:
    Finding report(std::string_view rule, Pos pos, std::string message, std::string_view expected,
                   std::string_view hint, Severity severity = Severity::Error) {
        return classify::about(ingress_, out_)
            .say(severity, rule, pos, std::move(message))
            .expected(expected)
            .hint(hint);
    }

    void take_rule(const classify::IngressRule& rule) {
        if (!rule.host.empty() && rule.host != served_.name) {
            report("rule-host-unsupported", rule.host_pos,
                   fmt::format("rule with host \"{}\" cannot be served", rule.host),
                   served_.name.empty()
                       ? "no host, as there is none in spec.tls"
                       : fmt::format("no host, or \"{}\", {}", served_.name, served_.origin),
                   "a proxy has one name; use another Ingress for another host");
        } else if (!rule.has_http) {
            report("rule-without-http", rule.pos, "rule without \"http\"",
                   "\"http\" with \"paths\"", "remove the rule, or use spec.defaultBackend");
        } else if (rule.paths.empty()) {
            report("invalid-object", rule.pos, "rule without paths",
                   "at least one entry in \"http.paths\"", "");
        } else {
            for (const classify::IngressPath& path : rule.paths) {
                take_path(path);
            }
        }
    }

    void take_path(const classify::IngressPath& path) {
        const std::string_view text = path.path.empty() ? kRoot : path.path;
        if (path.path_type == classify::PathType::Unset) {
            report("path-without-type", path.pos, fmt::format("path \"{}\" has no pathType", text),
                   "Prefix", "add \"pathType: Prefix\"");
        } else if (path.path_type == classify::PathType::Exact) {
            report("exact-path", path.path_type_pos,
                   fmt::format("path \"{}\" of type Exact also matches what is below it", text),
                   "Prefix, which is what tailscaled implements", "write \"pathType: Prefix\"",
                   Severity::Warning);
        }
        take(text, path.backend);
    }

    void take(std::string_view path, const classify::IngressBackend& backend) {
        const Value* old = backend.has_service ? nullptr : old_backend(ingress_.doc->root, backend);
        if (old != nullptr) {
            report_old(path, *old);
            return;
        }
        if (!backend.has_service) {
            report("backend-not-a-service", backend.pos,
                   fmt::format("the backend of path \"{}\" is not a Service", path),
                   "backend.service with a name and a port",
                   "a proxy can only target a Service of the same namespace");
            return;
        }
        if (backend.service.empty()) {
            report("missing-backend-service", backend.pos,
                   fmt::format("the backend of path \"{}\" has no Service name", path),
                   "the name of a Service of the same namespace", "")
                .is_absence();
            return;
        }
        if (!is_port_number(backend.port_number) && backend.port_number != 0) {
            skipped_ = true;  // check_object reports it
            return;
        }
        if (ingress_.ns.empty()) {
            skipped_ = true;  // reported; no Service can be found without it
            return;
        }
        const classify::ServiceInput* service = inputs_.services.find(ingress_.ns, backend.service);
        std::optional<ServeHandler> found =
            service == nullptr ? find_absent(path, backend) : find_known(path, backend, *service);
        if (found) {
            planned_[path] = std::move(*found);
        }
    }

    std::optional<ServeHandler> find_absent(std::string_view path,
                                            const classify::IngressBackend& backend) {
        const bool complete = inputs_.settings.inputs == InputsMode::Complete;
        const bool named = !backend.port_name.empty();
        const bool error = complete || named;
        report(
            "missing-backend-service", backend.pos,
            fmt::format("Service \"{}\" of path \"{}\" not found", backend.service, path),
            named ? fmt::format("Service \"{}\" in namespace \"{}\", for the number of port \"{}\"",
                                backend.service, ingress_.ns, backend.port_name)
                  : fmt::format("Service \"{}\" in namespace \"{}\"", backend.service, ingress_.ns),
            where_it_is(backend.service, named), error ? Severity::Error : Severity::Warning)
            .is_absence();
        if (!named && backend.port_number == 0) {
            report_no_port(path, backend);
            return std::nullopt;
        }
        if (error) {
            return std::nullopt;
        }
        return handler(path, backend, dns_name(backend), backend.port_number);
    }

    [[nodiscard]] std::string where_it_is(std::string_view service, bool needs_number) const {
        const std::vector<std::string_view> elsewhere = inputs_.services.namespaces_of(service);
        return elsewhere.empty()
                   ? fmt::format(
                         "if it comes from elsewhere, {}pass its directory with --context DIR",
                         needs_number ? "write the number of the port, or " : "")
                   : fmt::format(
                         "it is in namespace \"{}\": an Ingress reaches Services of its own "
                         "namespace only, so move the Ingress there",
                         fmt::join(elsewhere, "\", \""));
    }

    std::optional<ServeHandler> find_known(std::string_view path,
                                           const classify::IngressBackend& backend,
                                           const classify::ServiceInput& service) {
        services_.push_back(&service);
        if (service.headless || service.type == classify::ServiceType::ExternalName) {
            report("backend-without-cluster-ip", backend.pos,
                   fmt::format("Service \"{}\" of path \"{}\" has no cluster IP", backend.service,
                               path),
                   "a Service of type ClusterIP, NodePort or LoadBalancer that is not headless",
                   service.headless ? "remove \"clusterIP: None\", or use another Service"
                                    : "use a Service with a selector");
            return std::nullopt;
        }
        if (backend.port_name.empty() && backend.port_number == 0) {
            report_no_port(path, backend);
            return std::nullopt;
        }
        const auto port =
            std::ranges::find_if(service.ports, [&](const classify::ServicePort& one) {
                return backend.port_name.empty() ? one.port == backend.port_number
                                                 : one.name == backend.port_name;
            });
        if (port == service.ports.end() || port->port == 0) {
            report_port(path, backend, service);
            return std::nullopt;
        }
        if (speaks_tls(*port) && !is_asked_by_tls(backend, port->port)) {
            report_tls(backend, service, *port);
        }
        return handler(path, backend, host(backend, service), port->port);
    }

    static bool is_asked_by_tls(const classify::IngressBackend& backend, std::int64_t port) {
        return port == kHttpsPort || backend.port_name == kHttps;
    }

    void report_old(std::string_view path, const Value& backend) {
        const Value* port = backend.find("servicePort");
        const bool is_name = port != nullptr && port->is_string();
        const std::string_view text =
            is_name || (port != nullptr && port->is_number()) ? port->text() : "80";
        const Pos first = key_pos(backend, "serviceName");
        Finding error = report(
            "backend-not-a-service", first,
            fmt::format("the backend of path \"{}\" is written as for an older version", path),
            "backend.service with a name and a port",
            fmt::format("write backend: {{service: {{name: {}, port: {{{}: {}}}}}}}",
                        text_of(backend, {"serviceName"}), is_name ? "name" : "number", text));
        const Pos second = key_pos(backend, "servicePort");
        if (second.known()) {
            error.note({.pos = second, .text = "it is part of the old form"});
        }
    }

    // Returns true if the Service declares TLS for the port.
    static bool speaks_tls(const classify::ServicePort& port) {
        return lower_case(port.app_protocol) == kHttps || port.name == kHttps ||
               port.name.starts_with("https-") || port.name.ends_with("-https");
    }

    void report_tls(const classify::IngressBackend& backend, const classify::ServiceInput& service,
                    const classify::ServicePort& port) {
        report("tls-backend-over-http", backend.port_pos,
               fmt::format("the proxy sends plain HTTP to port {} of Service \"{}\", which speaks "
                           "TLS",
                           port.port, backend.service),
               "port 443, or a backend port with the name \"https\"",
               port.name == kHttps
                   ? "write \"port: {name: https}\" in this backend"
                   : "name the port \"https\" in the Service, and write \"port: {name: https}\" in "
                     "this backend",
               Severity::Warning)
            .found(
                port.app_protocol.empty()
                    ? fmt::format("port {} with the name \"{}\"", port.port, port.name)
                    : fmt::format("port {} with \"appProtocol: {}\"", port.port, port.app_protocol))
            .note({.pos = port.pos,
                   .object = service.doc->object_name(),
                   .text = "the port is here"});
    }

    void report_no_port(std::string_view path, const classify::IngressBackend& backend) {
        report("backend-port-not-found", backend.port_pos,
               fmt::format("the backend of path \"{}\" has no port", path),
               "backend.service.port with a name or a number", "write \"port: {number: 80}\"")
            .is_absence();
    }

    // Returns the hint for the port of a container in place of the port of the Service.
    static std::string port_of_target(std::int64_t number, const classify::ServiceInput& service) {
        for (const classify::ServicePort& port : service.ports) {
            if (port.target_port != nullptr && port.target_port->is_number() &&
                port.target_port->as_int() == number) {
                return fmt::format(
                    "{} is the targetPort: an Ingress names the port of the Service, {}", number,
                    port.port);
            }
        }
        return {};
    }

    void report_port(std::string_view path, const classify::IngressBackend& backend,
                     const classify::ServiceInput& service) {
        std::vector<std::string> ports;
        std::vector<std::string_view> names;
        for (const classify::ServicePort& port : service.ports) {
            ports.push_back(port.name.empty() ? fmt::format("{}", port.port)
                                              : fmt::format("{} ({})", port.port, port.name));
            names.push_back(port.name);
        }
        const std::string_view near = nearest(backend.port_name, names);
        const std::string wanted = backend.port_name.empty()
                                       ? fmt::format("{}", backend.port_number)
                                       : fmt::format("\"{}\"", backend.port_name);
        report("backend-port-not-found", backend.port_pos,
               fmt::format("Service \"{}\" of path \"{}\" has no port {}", backend.service, path,
                           wanted),
               ports.empty() ? "a Service with ports"
                             : fmt::format("one of {{ {} }}", fmt::join(ports, ", ")),
               backend.port_name.empty() ? port_of_target(backend.port_number, service)
               : near.empty()            ? "use the number of the port, or give it this name"
                                         : did_you_mean(near))
            .note({.pos = service.pos(),
                   .object = service.doc->object_name(),
                   .text = "the Service is here"})
            .is_absence();
    }

    [[nodiscard]] std::string dns_name(const classify::IngressBackend& backend) const {
        return cluster_dns_name(ingress_.ns, backend.service, inputs_.settings);
    }

    // The operator writes IPv6 addresses without brackets, which is not a valid URL.
    [[nodiscard]] std::string host(const classify::IngressBackend& backend,
                                   const classify::ServiceInput& service) const {
        if (service.cluster_ip.empty()) {
            return dns_name(backend);
        }
        return ip_family(service.cluster_ip) == classify::IpFamily::V6
                   ? fmt::format("[{}]", service.cluster_ip)
                   : std::string(service.cluster_ip);
    }

    static ServeHandler handler(std::string_view path, const classify::IngressBackend& backend,
                                const std::string& host, std::int64_t port) {
        const std::string_view scheme = is_asked_by_tls(backend, port) ? "https+insecure" : "http";
        return {.path = std::string(path),
                .proxy = fmt::format("{}://{}:{}{}", scheme, host, port, path),
                .service = std::string(backend.service),
                .port = port};
    }

    PlannedBackends result() {
        PlannedBackends result;
        std::vector<std::string> names;
        for (auto& [path, handler] : planned_) {
            std::string name = fmt::format("{}/{}:{}", ingress_.ns, handler.service, handler.port);
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
            }
            result.handlers.push_back(std::move(handler));
        }
        result.target_text = fmt::format("{}", fmt::join(names, ", "));
        result.services = std::move(services_);
        return result;
    }

    const classify::IngressInput& ingress_;
    const ServedHost& served_;
    const ProxyInputs& inputs_;
    Diagnostics& out_;
    std::map<std::string_view, ServeHandler> planned_;
    std::vector<const classify::ServiceInput*> services_;
    bool skipped_ = false;  // an entry was left out because something else reports it
};

}  // namespace

PlannedBackends plan_backends(const classify::IngressInput& ingress, const ServedHost& host,
                              const ProxyInputs& inputs, Diagnostics& diagnostics) {
    return BackendPlanner(ingress, host, inputs, diagnostics).run();
}

}  // namespace renderer::plan
