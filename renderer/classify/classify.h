// Stage 2: documents -> what they are. Decodes the inputs that we consume into plain structs;
// everything else stays foreign bytes. Decides no policy: whether a Service *should* be exposed is
// plan's question.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document.h"
#include "renderer/load/load.h"

namespace renderer {

struct ServicePort {
    std::string_view name;  // may be empty
    std::int64_t port = 0;
    std::string_view protocol;  // "TCP" when absent
    Pos pos;
};

// Views point into Loaded, which outlives the Inventory. Annotation and label lookups go through
// `doc->root`.
struct ServiceInput {
    const Document* doc = nullptr;
    std::string_view name, ns;    // ns is the effective namespace
    std::string_view type;        // "ClusterIP" when absent
    std::string_view cluster_ip;  // "" when not pinned, "None" when headless
    std::string_view external_name;
    std::string_view load_balancer_class;
    bool has_load_balancer_class = false;
    bool no_selector = false;
    std::vector<std::string_view> ip_families;
    std::string_view ip_family_policy;
    std::vector<ServicePort> ports;

    // The annotation's value node, or nullptr when the key is absent.
    [[nodiscard]] const Value* annotation(std::string_view key) const;
    [[nodiscard]] const Value* label(std::string_view key) const;
};

struct IngressBackend {
    Pos pos;
    bool has_service = false;
    std::string_view service;
    std::string_view port_name;
    std::int64_t port_number = 0;
    Pos port_pos;
};

struct IngressPath {
    Pos pos;
    std::string_view path;       // "" when absent
    std::string_view path_type;  // "" when absent
    IngressBackend backend;
};

struct IngressRule {
    Pos pos;
    std::string_view host;
    Pos host_pos;
    bool has_http = false;
    std::vector<IngressPath> paths;
};

struct IngressInput {
    const Document* doc = nullptr;
    std::string_view name, ns;
    std::string_view class_name;
    bool has_class_name = false;
    bool has_default_backend = false;
    IngressBackend default_backend;
    bool has_tls_host = false;
    std::string_view tls_host;  // spec.tls[0].hosts[0], whole
    Pos tls_host_pos;
    std::vector<IngressRule> rules;

    [[nodiscard]] const Value* annotation(std::string_view key) const;
    [[nodiscard]] const Value* label(std::string_view key) const;
};

struct NamespaceInput {
    const Document* doc = nullptr;
    std::string_view name;
};

// The reference's own objects among the inputs: its chart's stream in post-render, or its static
// manifest in a tree.
struct OperatorInput {
    const Document* deployment = nullptr;  // nullptr: there is none
    std::vector<const Document*>
        parts;     // every document of the chart that we replace or let pass, deployment included
    Value values;  // what its env says, spelled as chart values (a settings layer below all others)
};

struct Inventory {
    std::vector<ServiceInput> services;  // all Services, exposed or not: facts for Ingress backends
    std::vector<IngressInput> ingresses;  // all Ingresses
    std::vector<NamespaceInput> namespaces;
    OperatorInput reference;
    // Inputs of a kind that tailrender owns but does not build yet (tailscale.com custom
    // resources).
    std::vector<const Document*> custom_resources;
};

Inventory classify(const Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer
