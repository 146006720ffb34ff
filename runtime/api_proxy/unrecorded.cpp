#include "runtime/api_proxy/unrecorded.h"

#include <algorithm>

#include "renderer/base/split.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/recording/request_info.h"

namespace runtime::api_proxy {

namespace {

constexpr std::string_view kNodesProxy = "nodes/proxy";

// Returns true if every server reads the path in the same way.
bool is_plain(std::string_view path) {
    return path.starts_with('/') && !path.ends_with('/') &&
           path.find('%') == std::string_view::npos &&
           std::ranges::none_of(renderer::split(path.substr(1), '/'), [](std::string_view segment) {
               return segment.empty() || segment == "." || segment == "..";
           });
}

std::string info_name(const recording::RequestInfo& info) {
    if (info.verb == "proxy") {
        return info.resource + "/proxy";
    }
    return info.subresource.empty() ? info.resource : info.resource + "/" + info.subresource;
}

}  // namespace

std::optional<std::string> unrecorded_name(const RequestHead& request) {
    const bool is_upgrade = request.upgrade != Protocol::None;
    const auto info = recording::read_request_info(request.method, request.target);
    if (!is_plain(request.target.substr(0, request.target.find('?'))) || !info) {
        const auto has_segment = [&](std::string_view wanted) {
            return std::ranges::count(renderer::split(info->path, '/'), wanted) > 0;
        };
        if (info && has_segment("nodes") && has_segment("proxy")) {
            return std::string(kNodesProxy);
        }
        return is_upgrade ? std::optional(std::string()) : std::nullopt;
    }
    std::string name = info->is_resource ? info_name(*info) : std::string();
    if (name == kNodesProxy) {
        return name;
    }
    const bool is_known =
        info->group.empty() && info->version == "v1" && info->verb != "watch" &&
        (name == "pods/exec" || name == "pods/attach" || name == "pods/portforward");
    return is_upgrade && !is_known ? std::optional(std::move(name)) : std::nullopt;
}

std::optional<std::vector<std::string>> read_unrecorded_names(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::string_view name = renderer::take(text, ',');
        if (!renderer::is_subresource(name)) {
            return std::nullopt;
        }
        out.emplace_back(name);
    }
    return out;
}

}  // namespace runtime::api_proxy
