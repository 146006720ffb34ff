// What a request means to the API server: the verb and the resource, by its method and path. These
// are the rules that the API server itself uses for authorization. Pure.
// Source: k8s.io/apiserver v0.35.4 pkg/endpoints/request/requestinfo.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runtime::recording {

struct RequestInfo {
    bool is_resource = false;
    std::string path = {};  // decoded
    std::string verb = {};
    std::string prefix = {}, group = {}, version = {}, ns = {};
    std::string resource = {}, subresource = {}, name = {};
    std::vector<std::string> parts = {};  // from the resource on
    std::string field_selector = {}, label_selector = {};
};

// No value if the API server does not accept such a path.
std::optional<RequestInfo> read_request_info(std::string_view method, std::string_view target);

// Returns true if the body may hold credentials: of a Secret, of a token review, or for an
// application behind the API server's own proxy.
bool has_sensitive_body(const RequestInfo& info);

}  // namespace runtime::recording
