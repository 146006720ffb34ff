// The parts of our CustomResourceDefinitions other than names and field types: columns, rules of
// the API server over several fields, and descriptions for `kubectl explain`. The rules are those
// of tailscale v1.96.5 k8s-operator/apis/v1alpha1; the texts are ours.
#pragma once

#include <span>
#include <string_view>

namespace renderer::generate {

// A column of `kubectl get` besides name and age.
struct CrdColumn {
    std::string_view kind, name, type, path;
};

// A rule in CEL on the value at a path such as "Connector.spec.hostname".
struct CrdRule {
    std::string_view path, rule, message;
};

// The description of a field at a path such as "Connector.spec.hostname", or of a kind.
struct CrdText {
    std::string_view path, text;
};

std::span<const CrdColumn> crd_columns();
std::span<const CrdRule> crd_rules();
std::span<const CrdText> crd_texts();

}  // namespace renderer::generate
