#include "renderer/classify/operator_objects.h"

#include <algorithm>
#include <array>

#include "renderer/classify/operator_deployment.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"

namespace renderer::classify {

namespace {

// False for bundles that are copied as a whole: they are not ours to change.
bool is_ours_to_change(const load::Loaded& loaded, const Document& doc) {
    return doc.reachable && !doc.hook && loaded.bundles[doc.bundle].rendered;
}

bool may_be_operator(const load::Loaded& loaded, const Document& doc) {
    const std::string_view text = loaded.sources.text(doc.source);
    return is_ours_to_change(loaded, doc) && text_of(doc.kind) == "Deployment" &&
           text.substr(doc.range.begin, doc.range.end - doc.range.begin).find("PROXY_IMAGE") !=
               std::string_view::npos;
}

// A document of the chart that has the same name in each installation, in the operator's namespace
// or cluster-scoped.
struct Part {
    std::string_view kind, name;
};

constexpr std::array kFixedParts = {
    Part{"ServiceAccount", "proxies"},
    Part{"ServiceAccount", "kube-apiserver-auth-proxy"},
    Part{"ClusterRole", "tailscale-auth-proxy"},
    Part{"ClusterRoleBinding", "tailscale-auth-proxy"},
    Part{"Role", "proxies"},
    Part{"RoleBinding", "proxies"},
};

bool is_part(const Document& doc, std::string_view ns, const OperatorNames& names,
             std::string_view ingress_class) {
    const std::string_view kind = text_of(doc.kind);
    const std::string_view name = text_of(doc.name);
    if (!doc.effective_namespace.empty() && doc.effective_namespace != ns) {
        return false;
    }
    if (kind == "CustomResourceDefinition") {
        return name.ends_with(".tailscale.com");
    }
    if (kind == "IngressClass") {
        return name == ingress_class;
    }
    if (kind == "Secret") {
        return name == names.oauth_secret;
    }
    const bool is_cluster = kind == "ClusterRole" || kind == "ClusterRoleBinding";
    const bool has_rights = kind == "ServiceAccount" || kind == "Role" || kind == "RoleBinding";
    return (is_cluster && name == names.cluster) || (has_rights && name == names.name) ||
           std::ranges::any_of(kFixedParts, [&](const Part& part) {
               return part.kind == kind && part.name == name;
           });
}

void report_second(const Document& doc, const Document& first, Diagnostics& diagnostics) {
    about(doc, diagnostics)
        .error("second-operator", doc.kind.pos(), "a second operator in this cluster")
        .hint("keep one of the two Deployments")
        .note(
            {.pos = first.kind.pos(), .object = first.object_name(), .text = "the first is here"});
}

void take_deployment(const Document& doc, const Value& root, Inventory& inventory,
                     Diagnostics& diagnostics) {
    OperatorInput& stock = inventory.stock_operator;
    if (stock.deployment != nullptr) {
        report_second(doc, *stock.deployment, diagnostics);
        return;
    }
    if (doc.list != kNone) {
        about(doc, diagnostics)
            .error("not-supported", doc.kind.pos(),
                   "the operator's Deployment cannot be an item of a List")
            .hint("make it a separate document");
    }
    stock.deployment = &doc;
    stock.values = operator_values(root, doc.object_name(), diagnostics);
}

// Returns the whole tree of a document, even if it was only scanned.
Value read_whole(const load::Loaded& loaded, const Document& doc, Diagnostics& diagnostics) {
    return doc.root.is_null() ? read_yaml(loaded.sources, doc.source, doc.range, diagnostics)
                              : doc.root.clone();
}

void read_account(const load::Loaded& loaded, const Document& doc, Value& values,
                  Diagnostics& diagnostics) {
    const Value root = read_whole(loaded, doc, diagnostics);
    const Value* annotations = root.at({"metadata", "annotations"});
    Value* config = values.find("operatorConfig");
    if (annotations != nullptr && annotations->is_map() && config != nullptr) {
        config->put("serviceAccountAnnotations", annotations->clone());
    }
}

// True for a Helm hook, which may have the same name as an object of the release.
bool is_hook_of_helm(const load::Loaded& loaded, const Document& doc, Diagnostics& diagnostics) {
    if (!load::hook_readers_of(loaded, doc).helm) {
        return false;
    }
    const RawDocument& range = doc.range;
    const std::string_view text =
        loaded.sources.text(doc.source).substr(range.begin, range.end - range.begin);
    const Value* annotation = nullptr;
    if (doc.root.is_null() && text.find("helm.sh/hook") != std::string_view::npos) {
        const Value root = read_whole(loaded, doc, diagnostics);
        annotation = root.at({"metadata", "annotations", "helm.sh/hook"});
    }
    return doc.hook || annotation != nullptr;
}

void take_parts(const load::Loaded& loaded, OperatorInput& stock, Diagnostics& diagnostics) {
    const std::string_view ns = stock.deployment->effective_namespace;
    const Value* name = stock.values.at({"ingressClass", "name"});
    std::string ingress_class(name == nullptr ? std::string_view() : text_of(*name));
    if (ingress_class.empty()) {
        ingress_class = "tailscale";
    }
    const OperatorNames names = operator_names(text_of(stock.values.find("fullnameOverride")));
    bool has_class = false;
    for (const Document& doc : loaded.documents) {
        const bool candidate = is_ours_to_change(loaded, doc) &&
                               is_part(doc, ns, names, ingress_class) &&
                               !is_hook_of_helm(loaded, doc, diagnostics);
        if (&doc != stock.deployment && !candidate) {
            continue;
        }
        stock.parts.push_back(&doc);
        has_class = has_class || text_of(doc.kind) == "IngressClass";
        if (text_of(doc.kind) == "ServiceAccount" && text_of(doc.name) == names.name) {
            read_account(loaded, doc, stock.values, diagnostics);
        }
    }
    Value* group = stock.values.find("ingressClass");
    if (group == nullptr) {
        group = &stock.values.add("ingressClass", Value::map());
    }
    group->put("enabled", has_class);
}

}  // namespace

void classify_operator(const load::Loaded& loaded, Inventory& inventory, Diagnostics& diagnostics) {
    for (const Document& doc : loaded.documents) {
        if (!may_be_operator(loaded, doc)) {
            continue;
        }
        const Value root = read_whole(loaded, doc, diagnostics);
        if (operator_container(root) != nullptr) {
            take_deployment(doc, root, inventory, diagnostics);
        }
    }
    if (inventory.stock_operator.deployment != nullptr) {
        take_parts(loaded, inventory.stock_operator, diagnostics);
    }
}

}  // namespace renderer::classify
