// A ProxyClass: what a user wants to have different in proxies. Its spec stays a tree, as most of
// it goes into theirs. Source: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_proxyclass.go.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "renderer/classify/fields.h"
#include "renderer/classify/parent_input.h"
#include "renderer/core/value.h"
#include "renderer/kube/proxy_class_rules.h"

namespace renderer {

struct ProxyClassInput : ParentInput {
    const Value* spec = nullptr;  // a map
    std::vector<ClassPort> ports;

    // A map in the spec; nullptr: there is none.
    [[nodiscard]] const Value* map_at(std::initializer_list<std::string_view> path) const;
    [[nodiscard]] Fields fields_at(std::initializer_list<std::string_view> path) const {
        return Fields(map_at(path));
    }
};

ProxyClassInput decode_proxy_class(const Document& doc);

}  // namespace renderer
