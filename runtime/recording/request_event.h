// A request as it is reported to recorders: JSON in the form of Tailscale's recorder. Bodies that
// may hold credentials are left out. Pure.
// Source: tailscale v1.96.5 sessionrecording/event.go, k8s-operator/api-proxy/proxy.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/recording/request_info.h"

namespace runtime::recording {

struct RequestEvent {
    std::int64_t timestamp = 0;  // Unix time in seconds
    std::string_view user_agent = {}, method = {}, target = {}, body = {};
    std::string node = {}, node_id = {};
    std::vector<std::string> tags = {};  // of a tagged device; otherwise user is set
    std::string user = {};
    std::int64_t user_id = 0;
};

std::string event_json(const RequestEvent& event, const RequestInfo& info);

}  // namespace runtime::recording
