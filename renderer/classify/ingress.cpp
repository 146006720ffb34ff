#include "renderer/classify/ingress.h"

#include <array>

#include "renderer/classify/checked_choice.h"
#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"
#include "renderer/core/text_of.h"

namespace renderer::classify {

namespace {

using PathTypeName = std::pair<std::string_view, PathType>;
constexpr std::array kPathTypes = {
    PathTypeName{"Exact", PathType::Exact}, PathTypeName{"Prefix", PathType::Prefix},
    PathTypeName{"ImplementationSpecific", PathType::ImplementationSpecific}};

void decode_port(const Value* port, Pos fallback, IngressBackend& backend) {
    const Fields fields(port);
    backend.port_name = fields.text("name");
    backend.port_number = fields.number("number").value_or(0);
    backend.port_pos = known_or(fields.pos("name"), known_or(fields.pos("number"), fallback));
}

IngressBackend decode_backend(const Value& value) {
    const Fields fields(&value);
    IngressBackend backend;
    backend.has_resource = fields.map("resource") != nullptr;
    const Value* service = fields.map("service");
    backend.has_service = service != nullptr;
    backend.pos = value.pos();
    if (service != nullptr) {
        const Fields named(service);
        backend.service = named.text("name");
        backend.pos = known_or(named.pos("name"), service->pos());
        decode_port(named.map("port"), known_or(named.pos("port"), backend.pos), backend);
    }
    return backend;
}

IngressPath decode_path(const Value& value, std::vector<Diagnostic>& faults) {
    const Fields fields(&value);
    IngressPath path;
    path.pos = value.pos();
    path.path = fields.text("path");
    path.path_pos = known_or(fields.pos("path"), value.pos());
    // An unknown type is reported already, so do not treat it as missing.
    const bool known = fields.pos("pathType").known();
    path.path_type =
        checked_choice(fields, "pathType", "paths[].pathType", kPathTypes,
                       known ? PathType::ImplementationSpecific : PathType::Unset, faults);
    path.path_type_pos = known_or(fields.pos("pathType"), value.pos());
    path.backend.pos = value.pos();
    if (const Value* backend = fields.map("backend"); backend != nullptr) {
        path.backend = decode_backend(*backend);
    }
    return path;
}

IngressRule decode_rule(const Value& value, std::vector<Diagnostic>& faults) {
    const Fields fields(&value);
    IngressRule rule;
    rule.pos = value.pos();
    rule.host = fields.text("host");
    rule.host_pos = known_or(fields.pos("host"), value.pos());
    const Value* http = fields.map("http");
    rule.has_http = http != nullptr;
    for (const Value& path : items_of(Fields(http).list("paths"))) {
        rule.paths.push_back(decode_path(path, faults));
    }
    return rule;
}

void decode_tls(const Fields& spec, IngressInput& ingress) {
    const auto entries = items_of(spec.list("tls"));
    ingress.tls_entries = entries.size();
    for (const Value& entry : entries) {
        const auto hosts = items_of(Fields(&entry).list("hosts"));
        for (const Value& host : hosts) {
            if (!host.is_string()) {
                continue;
            }
            if (&entry == &entries.front() && &host == &hosts.front()) {
                ingress.has_tls_host = true;
                ingress.tls_host = host.text();
                ingress.tls_host_pos = host.pos();
            }
            ingress.tls_hosts.push_back({host.text(), host.pos()});
        }
    }
}

}  // namespace

IngressInput decode_ingress(const Document& doc) {
    IngressInput ingress;
    decode_metadata(doc, ingress);
    const Fields spec(doc.root.find("spec"));
    ingress.has_class_name = spec.any("ingressClassName") != nullptr;
    ingress.class_name = spec.text("ingressClassName");
    ingress.served =
        doc.api_version.is_string() && doc.api_version.text() == "networking.k8s.io/v1";
    if (!ingress.served) {
        return ingress;
    }
    if (const Value* backend = spec.map("defaultBackend"); backend != nullptr) {
        ingress.has_default_backend = true;
        ingress.default_backend = decode_backend(*backend);
    }
    decode_tls(spec, ingress);
    for (const Value& rule : items_of(spec.list("rules"))) {
        ingress.rules.push_back(decode_rule(rule, ingress.faults));
    }
    return ingress;
}

}  // namespace renderer::classify
