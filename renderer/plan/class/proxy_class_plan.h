// What a ProxyClass changes of the proxies that use it: checked, and in the form in which it stands
// in their objects. Used by every kind of proxy, through one function of the generators
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

namespace renderer {

struct ClassEnv {
    std::string name, value;
    Pos pos = {};  // of the name
};

// For one container. Empty texts and nulls: the class leaves it alone.
struct ClassContainer {
    bool exists = false;  // the class has the block, which may be empty
    Pos pos;
    std::string image;
    bool pinned = false;  // the image cannot change: a digest, or a full x.y.z tag
    Pos image_pos;
    std::string pull_policy;
    std::vector<ClassEnv> env;  // in the order of the class; names may repeat
    Value fields;               // that are taken as they are
    Value requests, limits;
};

// NodePorts of the replicas of a ProxyGroup.
struct StaticEndpoints {
    Pos pos;
    std::vector<PortRange> ports;  // in the order of the class, in which they are handed out
    Value selector;                // of Nodes: a map, maybe empty
};

struct ProxyClassPlan {
    Origin origin;
    std::string name;
    std::optional<Dataplane> dataplane;  // by its annotation
    bool has_tailscale = false;          // the class has the block
    bool accept_routes = false;
    bool acme_staging = false;
    bool has_metrics = false;  // the class has the block
    bool metrics = false;
    bool debug = false;  // that of the container, else as metrics
    bool service_monitor = false;
    // Maps; null or empty: the class leaves them alone.
    Value monitor_labels, set_labels, set_annotations, pod_labels, pod_annotations;
    Value pod_spec;  // the fields of the pod that are taken as they are
    ClassContainer container, init_container;
    std::optional<StaticEndpoints> static_endpoints;
};

}  // namespace renderer
