// The clusters of Argo CD: those that the user names, those with an unencrypted Secret in the tree,
// and the one that Argo CD runs in. Source: argo-cd docs/operator-manual/declarative-setup.md
// (clusters), applicationset/generators/cluster.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer::engines {

// The destination for the cluster that Argo CD runs in.
constexpr std::string_view kOwnCluster = "in-cluster";
constexpr std::string_view kOwnServer = "https://kubernetes.default.svc";

struct ArgoCluster {
    std::string name, server, project = {};
    Value labels = Value::map(), annotations = Value::map();
};

// Parses NAME[,server=URL][,LABEL=VALUE]…. Returns nothing if the text is not of this form.
std::optional<ArgoCluster> parse_argo_cluster(std::string_view text);

// Returns the cluster of an Argo CD cluster Secret, without a name if the Secret is encrypted.
// Returns nothing for other objects.
std::optional<ArgoCluster> argo_cluster_of(const Value& object);

// Evaluates a LabelSelector on a map. Returns nothing for an unknown operator.
std::optional<bool> selects(const Value* selector, const Value& labels);

}  // namespace renderer::engines
