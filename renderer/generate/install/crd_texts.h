// What is in our CustomResourceDefinitions beside names and the types of fields: columns, rules
// of the API server over several fields, and what a person reads with `kubectl explain`. The rules
// are those of tailscale v1.96.5 k8s-operator/apis/v1alpha1; the words are ours.
#pragma once

#include <span>
#include <string_view>

namespace renderer {

// What `kubectl get` shows beside name and age.
struct CrdColumn {
    std::string_view kind, name, type, path;
};

// A rule in CEL on the value at a path such as "Connector.spec.hostname".
struct CrdRule {
    std::string_view path, rule, message;
};

// The last word of `path` is a field; "" when there is nothing to say.
struct CrdText {
    std::string_view path, text;
};

std::span<const CrdColumn> crd_columns();
std::span<const CrdRule> crd_rules();
std::span<const CrdText> crd_texts();

}  // namespace renderer
