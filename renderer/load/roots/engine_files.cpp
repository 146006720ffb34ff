#include "renderer/load/roots/engine_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/load/roots/gitops_tree.h"

namespace renderer {

namespace {

constexpr std::string_view kHelmGroup = "helm.toolkit.fluxcd.io/";

bool says(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool is_list(const Value& object) {
    const Value* items = object.is_map() ? object.find("items") : nullptr;
    return items != nullptr && items->is_list() && text_of(object, {"kind"}).ends_with("List");
}

bool is_input(std::string_view api_version, std::string_view kind, std::string_view text) {
    if (kind == "Service" || kind == "Ingress" || kind == "ResourceSet" ||
        api_version.starts_with("tailscale.com/")) {
        return true;
    }
    return api_version.starts_with("kustomize.config.k8s.io/") &&
           (says(text, "tailscale.com/") || says(text, "loadBalancerClass") ||
            says(text, "ingressClassName"));
}

}  // namespace

void add_objects(Value object, std::vector<Value>& objects) {
    if (!is_list(object)) {
        objects.push_back(std::move(object));
        return;
    }
    for (Value& item : object.find("items")->items()) {
        add_objects(std::move(item), objects);
    }
}

bool has_input(const std::string& path, std::string text) {
    SourceMap sources;
    const SourceId source = sources.add(path, std::move(text));
    return std::ranges::any_of(
        scan_documents(sources, source), [&](const ScannedDocument& scanned) {
            if (!scanned.mentions_tailscale) {
                return false;
            }
            const std::string_view whole = sources.text(source).substr(
                scanned.range.begin, scanned.range.end - scanned.range.begin);
            if (scanned.plain && !text_of(scanned.kind).ends_with("List")) {
                return is_input(text_of(scanned.api_version), text_of(scanned.kind), whole);
            }
            Diagnostics unheard;
            std::vector<Value> objects;
            add_objects(read_yaml(sources, source, scanned.range, unheard), objects);
            return std::ranges::any_of(objects, [&](const Value& object) {
                return is_input(text_of(object, {"apiVersion"}), text_of(object, {"kind"}), whole);
            });
        });
}

bool holds_objects(const std::string& path, std::string_view text) {
    if (!says(text, "apiVersion") || !says(text, "kind")) {
        return false;
    }
    SourceMap sources;
    const SourceId source = sources.add(path, std::string(text));
    return std::ranges::any_of(
        scan_documents(sources, source), [&](const ScannedDocument& scanned) {
            if (scanned.plain) {
                return !text_of(scanned.api_version).empty() && !text_of(scanned.kind).empty();
            }
            Diagnostics unheard;
            const Value root = read_yaml(sources, source, scanned.range, unheard);
            return unheard.has_errors()
                       ? says(text, "apiVersion:") && says(text, "kind:") && says(text, "metadata:")
                       : !text_of(root, {"apiVersion"}).empty() && !text_of(root, {"kind"}).empty();
        });
}

bool may_misspell_release(std::string_view text) {
    return says(text, kHelmGroup) && !says(text, "kind: HelmRelease");
}

std::string_view meant_kind(const Value& object) {
    const std::string_view api_version = text_of(object, {"apiVersion"});
    const std::string_view kind = text_of(object, {"kind"});
    if (api_version.starts_with(kHelmGroup)) {
        return kind == "HelmRelease" ? "" : nearest(kind, {"HelmRelease"});
    }
    if (api_version.starts_with(kFluxGroup)) {
        return kind == "Kustomization" ? "" : nearest(kind, {"Kustomization"});
    }
    if (api_version.starts_with(kFluxOperator)) {
        constexpr std::array<std::string_view, 4> kKinds = {
            "ResourceSet", "FluxInstance", "ResourceSetInputProvider", "FluxReport"};
        const bool is_known = std::ranges::find(kKinds, kind) != kKinds.end();
        return is_known ? "" : nearest(kind, {"ResourceSet", "FluxInstance"});
    }
    if (api_version.starts_with(kArgoGroup)) {
        const bool is_known = kind == "Application" || kind == "ApplicationSet";
        return is_known ? "" : nearest(kind, {"Application", "ApplicationSet"});
    }
    return {};
}

std::string instance_path_of(const Value& chart) {
    const std::string_view values = text_of(chart, {"spec", "valuesContent"});
    if (!text_of(chart, {"apiVersion"}).starts_with("helm.cattle.io/") || values.empty()) {
        return {};
    }
    SourceMap sources;
    Diagnostics unheard;
    const SourceId source = sources.add("valuesContent", std::string(values));
    const Value root = read_yaml(sources, source, unheard);
    return std::string(text_of(root, {"instance", "sync", "path"}));
}

bool is_of_chart(std::string_view path) {
    return path.starts_with("templates/") || path.starts_with("charts/") ||
           path.starts_with("crds/") || path == "Chart.yaml";
}

}  // namespace renderer
