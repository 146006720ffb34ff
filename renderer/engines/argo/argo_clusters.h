// The clusters that Argo CD knows: those that the user names, those whose Secrets are in the tree
// in clear text, and the one that it runs in. Source: argo-cd
// docs/operator-manual/declarative-setup.md (clusters), applicationset/generators/cluster.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"

namespace renderer {

// The destination of what runs beside Argo CD.
constexpr std::string_view kOwnCluster = "in-cluster";
constexpr std::string_view kOwnServer = "https://kubernetes.default.svc";

struct ArgoCluster {
    std::string name, server, project = {};
    Value labels = Value::map(), annotations = Value::map();
};

// NAME[,server=URL][,LABEL=VALUE]…; none: that is not what it says.
std::optional<ArgoCluster> parse_argo_cluster(std::string_view text);

// Of a Secret that tells Argo CD of a cluster, without a name when it is encrypted; none for other
// objects.
std::optional<ArgoCluster> argo_cluster_of(const Value& object);

// A LabelSelector over a map; what it does not understand is none.
std::optional<bool> selects(const Value* selector, const Value& labels);

}  // namespace renderer
