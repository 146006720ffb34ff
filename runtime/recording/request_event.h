// A request as recorders are told of it: JSON, as Tailscale's recorder takes it. Bodies that may
// hold credentials are left out. Pure.
// Source: tailscale v1.96.5 sessionrecording/event.go, k8s-operator/api-proxy/proxy.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recording/request_info.h"

namespace runtime::recording {

struct RequestEvent {
    std::int64_t timestamp = 0;  // seconds of Unix
    std::string_view user_agent = {}, method = {}, target = {}, body = {};
    std::string node = {}, node_id = {};
    std::vector<std::string> tags = {};  // of a tagged device; else its user
    std::string user = {};
    std::int64_t user_id = 0;
};

std::string event_json(const RequestEvent& event, const RequestInfo& info);

}  // namespace runtime::recording
