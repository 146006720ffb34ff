// The changes that a ProxyClass makes to the proxies that use it: checked, and in the form in which
// they are in their objects. One function of the generators applies it to every kind of proxy
// (generate/workload/proxy_class.h). Source: tailscale v1.96.5
// k8s-operator/apis/v1alpha1/types_proxyclass.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/classify/custom_resource.h"
#include "renderer/core/document.h"
#include "renderer/core/value.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

struct ClassEnv {
    std::string name, value;
    Pos pos = {};  // position of the name
};

// The changes of one container. Empty strings and nulls: the class does not change it.
struct ClassContainer {
    bool exists = false;  // the class has the block, possibly empty
    Pos pos;
    std::string image;
    bool pinned = false;  // the image cannot change: a digest, or a full x.y.z tag
    Pos image_pos;
    std::string pull_policy;
    std::vector<ClassEnv> env;  // in the order of the class; names may repeat
    Value fields;               // fields that are copied unchanged
    Value requests, limits;
};

// NodePorts of the replicas of a ProxyGroup.
struct StaticEndpoints {
    Pos pos;
    std::vector<PortRange> ports;  // in the order of the class, in which they are assigned
    Value selector;                // selects Nodes: a map, possibly empty
};

struct ProxyClassPlan {
    Origin origin;
    std::string name;
    std::optional<Dataplane> dataplane;  // set by its annotation
    Pos dataplane_pos;
    bool has_tailscale = false;  // the class has the block
    bool accept_routes = false;
    Pos accept_routes_pos;
    bool acme_staging = false;
    Pos acme_staging_pos;
    bool has_metrics = false;  // the class has the block
    bool metrics = false;
    Pos metrics_pos;
    bool debug = false;  // set for the container, else the same as metrics
    Pos debug_pos;       // unknown: it is not set for the container
    bool service_monitor = false;
    // Maps; null or empty: the class does not change them.
    Value monitor_labels, set_labels, set_annotations, pod_labels, pod_annotations;
    Value pod_spec;  // fields of the pod that are copied unchanged
    ClassContainer container, init_container;
    std::optional<StaticEndpoints> static_endpoints;
};

}  // namespace renderer::plan
