// A ProxyClass: what a user wants to have different in proxies. Parts that Kubernetes defines
// (affinity, securityContext, …) stay trees. Source: tailscale v1.96.5
// k8s-operator/apis/v1alpha1/types_proxyclass.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/value.h"
#include "renderer/kube/proxy_class_rules.h"

namespace renderer {

// Pointers are null where the class has no such field.
struct ClassContainerInput {
    const Value* block = nullptr;
    std::vector<const Member*> fields;  // that are taken as they are
    std::vector<EnvInput> env;
    const Value* image = nullptr;  // a string
    std::string_view pull_policy;
    const Value* requests = nullptr;
    const Value* limits = nullptr;
    const Value* claims = nullptr;
    const Value* debug = nullptr;  // the block
    bool debug_enable = false;
};

struct ProxyClassInput : ParentInput {
    const Value* spec = nullptr;  // a map
    const Value* set_labels = nullptr;
    const Value* set_annotations = nullptr;
    const Value* pod = nullptr;  // the block
    const Value* pod_labels = nullptr;
    const Value* pod_annotations = nullptr;
    std::vector<const Member*> pod_spec;  // fields of the pod that are taken as they are
    ClassContainerInput container, init_container;

    const Value* metrics = nullptr;  // the block
    bool metrics_enable = false;
    bool monitor_enable = false;
    Pos monitor_enable_pos;
    const Value* monitor_labels = nullptr;

    const Value* tailscale = nullptr;  // the block
    bool accept_routes = false;
    bool acme_staging = false;

    const Value* static_endpoints = nullptr;  // the block
    std::vector<ClassPort> ports;
    const Value* node_selector = nullptr;  // of static endpoints
};

ProxyClassInput decode_proxy_class(const Document& doc);

}  // namespace renderer
