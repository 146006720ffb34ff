#include "runtime/controller/objects.h"

#include <charconv>

#include "renderer/core/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/contract.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

std::string annotation(const Value& object, std::string_view key) {
    const Value* all = object.at({"metadata", "annotations"});
    return std::string(all == nullptr || !all->is_map() ? std::string_view()
                                                        : text_of(all->find(key)));
}

std::string_view label(const Value& object, std::string_view key) {
    const Value* all = object.at({"metadata", "labels"});
    return all == nullptr || !all->is_map() ? std::string_view() : text_of(all->find(key));
}

std::string meta(const Value& object, std::string_view key) {
    return std::string(text_of(object.at({"metadata", key})));
}

// A Secret's datum, decoded; no value when it is not there.
std::optional<std::string> datum(const Value& object, std::string_view key) {
    const Value* found = object.at({"data", key});
    if (found == nullptr) {
        return std::nullopt;
    }
    return renderer::decode_base64(text_of(found)).value_or("");
}

// `_current-profile` names the datum that holds the profile in use, tailscale v1.96.5 ipn/store.go.
std::string node_id_of_profile(const Value& object) {
    const auto name = datum(object, "_current-profile");
    const auto profile = name && !name->empty() ? datum(object, *name) : std::nullopt;
    const auto parsed = profile ? renderer::read_json(*profile) : renderer::Result<Value>(Value());
    return std::string(parsed ? text_of(parsed->at({"Config", "NodeID"})) : std::string_view());
}

}  // namespace

std::optional<ProxySet> decode_proxy_set(const Value& object) {
    ProxySet set;
    set.contract = annotation(object, kContractAnnotation);
    if (set.contract.empty() && label(object, "tailscale.com/managed") != "true") {
        return std::nullopt;
    }
    set.name = meta(object, "name");
    set.uid = meta(object, "uid");
    set.parent = annotation(object, kParentAnnotation);
    set.tailnet = annotation(object, kTailnetAnnotation);
    set.tags = annotation(object, kTagsAnnotation);
    set.hostnames = split_list(annotation(object, kHostnameAnnotation));
    const Value* replicas = object.at({"spec", "replicas"});
    set.replicas = static_cast<int>(replicas == nullptr ? 1 : replicas->as_int().value_or(1));
    if (const Value* labels = object.at({"metadata", "labels"});
        labels != nullptr && labels->is_map()) {
        for (const renderer::Member& member : labels->members()) {
            if (member.name().starts_with("tailscale.com/")) {
                set.labels.emplace(member.name(), text_of(member.value));
            }
        }
    }
    return set;
}

std::optional<StateSecret> decode_state_secret(const Value& object) {
    if (label(object, kSecretLabel) != kStateSecret) {
        return std::nullopt;
    }
    StateSecret state;
    state.name = meta(object, "name");
    state.uid = meta(object, "uid");
    state.set = annotation(object, kSetAnnotation);
    state.tailnet = annotation(object, kTailnetAnnotation);
    state.gone_since = annotation(object, kGoneAnnotation);
    state.device_id = datum(object, "device_id").value_or("");
    state.device_fqdn = datum(object, "device_fqdn").value_or("");
    state.device_ips = datum(object, "device_ips").value_or("");
    state.pod_uid = datum(object, "pod_uid").value_or("");
    state.https_endpoint = datum(object, "https_endpoint").value_or("");
    state.capability_version = datum(object, "tailscale_capver").value_or("");
    state.wants_key = datum(object, "reissue_authkey").has_value();
    state.node_id = node_id_of_profile(object);
    return state;
}

std::optional<AuthSecret> decode_auth_secret(const Value& object) {
    if (label(object, kSecretLabel) != kAuthSecret) {
        return std::nullopt;
    }
    AuthSecret auth;
    auth.name = meta(object, "name");
    auth.uid = meta(object, "uid");
    auth.version = meta(object, "resourceVersion");
    auth.set = annotation(object, kSetAnnotation);
    auth.blank = datum(object, "authkey").value_or("").empty();
    auth.key_id = annotation(object, kKeyIdAnnotation);
    auth.key_tags = annotation(object, kKeyTagsAnnotation);
    auth.key_created = parse_time(annotation(object, kKeyCreatedAnnotation));
    auth.key_expires = parse_time(annotation(object, kKeyExpiresAnnotation));
    auth.restart_pod = annotation(object, kRestartAnnotation);
    auth.device = annotation(object, kDeviceAnnotation);
    auth.device_tags = annotation(object, kDeviceTagsAnnotation);
    return auth;
}

std::optional<Pod> decode_pod(const Value& object) {
    Pod pod;
    pod.name = meta(object, "name");
    pod.uid = meta(object, "uid");
    pod.leaving = object.at({"metadata", "deletionTimestamp"}) != nullptr;
    const Value* conditions = object.at({"status", "conditions"});
    if (conditions != nullptr && conditions->is_list()) {
        for (const Value& condition : conditions->items()) {
            pod.ready = pod.ready || (text_of(condition.find("type")) == "Ready" &&
                                      text_of(condition.find("status")) == "True");
        }
    }
    return pod;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return parts;
}

std::optional<ReplicaName> split_replica(std::string_view pod) {
    const std::size_t hyphen = pod.rfind('-');
    if (hyphen == std::string_view::npos || hyphen == 0) {
        return std::nullopt;
    }
    const std::string_view digits = pod.substr(hyphen + 1);
    ReplicaName name{.set = pod.substr(0, hyphen)};
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, name.ordinal);
    if (digits.empty() || error != std::errc() || stop != end) {
        return std::nullopt;
    }
    return name;
}

}  // namespace runtime
