// Policies and devices for the tests of this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "renderer/access/evaluate.h"
#include "renderer/access/read_policy.h"
#include "renderer/policy/check.h"

namespace renderer::access {

// A policy that is read, with its text.
struct Read {
    SourceMap sources;
    Diagnostics diagnostics;
    policy::Node root;
    std::optional<Policy> policy;
};

inline std::unique_ptr<Read> read_whole(const std::string& text) {
    auto read = std::make_unique<Read>();
    const SourceId source = read->sources.add("policy.hujson", text);
    auto root = policy::read_hujson(read->sources, source, read->diagnostics);
    if (root && policy::find_sections(*root, read->sources, source, read->diagnostics)) {
        read->root = std::move(*root);
        read->policy = read_policy(read->root, read->sources, source, read->diagnostics);
    }
    return read;
}

inline Device web() {
    return {.name = "web",
            .parent = "Ingress/shop/web",
            .tags = {"tag:web"},
            .endpoints = {{.label = "443", .port = 443}}};
}

inline Device router() {
    return {.name = "router",
            .parent = "Connector/router",
            .tags = {"tag:router"},
            .endpoints = {{.kind = Endpoint::Kind::Route,
                           .label = "10.0.0.0/8",
                           .addresses = AddressSet({*parse_range("10.0.0.0/8")})}}};
}

}  // namespace renderer::access
