#include "runtime/api_proxy/caller.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/api_proxy/head.h"
#include "runtime/base/ip_prefix.h"

namespace runtime::api_proxy {

using renderer::Value;

namespace {

renderer::Error unknown(std::string message) {
    return {{.rule = "unknown-caller", .message = std::move(message)}};
}

bool has_address(const Value& node, const IpAddress& source) {
    return std::ranges::any_of(renderer::items_of(node.find("Addresses")), [&](const Value& item) {
        const auto prefix = IpPrefix::parse(renderer::text_of(item));
        return prefix && prefix->is_one_address() && prefix->address == source;
    });
}

renderer::Result<std::vector<std::string>> tags_of(const Value& node) {
    std::vector<std::string> out;
    const Value* tags = node.find("Tags");
    if (tags != nullptr && !tags->is_null() && !tags->is_list()) {
        return unknown("tailscaled's answer has no list of tags");
    }
    for (const Value& tag : renderer::items_of(tags)) {
        if (!tag.is_string() || !is_field_value(tag.text())) {
            return unknown("invalid tag in tailscaled's answer");
        }
        out.emplace_back(tag.text());
    }
    return out;
}

}  // namespace

renderer::Result<Caller> read_caller(std::string_view whois, const IpAddress& source) {
    const auto json = renderer::read_json(whois);
    const Value* node = json && json->is_map() ? json->find("Node") : nullptr;
    if (node == nullptr || !node->is_map()) {
        return unknown("tailscaled's answer holds no device");
    }
    if (!has_address(*node, source)) {
        return unknown(
            fmt::format("{} is not an address of the device that tailscaled names", source.text()));
    }
    Caller out;
    out.node = renderer::text_of(node->find("Name"));
    if (out.node.ends_with('.')) {
        out.node.pop_back();
    }
    out.node_id = renderer::text_of(node->find("StableID"));
    const renderer::Value* owner = node->find("User");
    out.user_id = owner != nullptr && owner->is_number() ? owner->as_int().value_or(0) : 0;
    out.tags = TRY(tags_of(*node));
    const std::vector<std::string>& tags = out.tags;
    out.user = tags.empty() ? std::string(renderer::text_of(*json, {"UserProfile", "LoginName"}))
                            : out.node;
    if (!is_field_value(out.user)) {
        return unknown(tags.empty() ? "the device has no user with a login name"
                                    : "the tagged device has no name");
    }
    out.grants = TRY(read_grants(json->find("CapMap")));
    out.groups = out.grants.groups.empty() ? tags : out.grants.groups;
    return out;
}

bool still_allows(const Caller& now, const Caller& then) {
    const bool has_groups = std::ranges::all_of(then.groups, [&](const std::string& group) {
        return std::ranges::find(now.groups, group) != now.groups.end();
    });
    return now.user == then.user && has_groups &&
           (!now.grants.enforces_recorder || then.grants.enforces_recorder);
}

}  // namespace runtime::api_proxy
