#include "runtime/controller/view/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/sha256.h"
#include "renderer/base/utf8.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/domain.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/view/api_proxy_config.h"
#include "runtime/controller/view/rendered_config.h"

namespace runtime::controller {

using renderer::items_of;
using renderer::text_of;
using renderer::Value;

std::string annotation_of(const Value& object, std::string_view key) {
    return std::string(text_of(object.at({"metadata", "annotations", key})));
}

std::string_view label_of(const Value& object, std::string_view key) {
    return text_of(object.at({"metadata", "labels", key}));
}

namespace {

std::string meta(const Value& object, std::string_view key) {
    return std::string(text_of(object.at({"metadata", key})));
}

// Returns the labels of tailscale.com.
std::string labels_of(const Value& object) {
    std::string ours;
    for (const renderer::Member& member : renderer::members_of(object.at({"metadata", "labels"}))) {
        if (member.name().starts_with(renderer::kOperatorDomain)) {
            ours.append(ours.empty() ? "" : ",");
            ours.append(member.name()).append("=").append(text_of(member.value));
        }
    }
    return ours;
}

// `_current-profile` names the datum with the profile in use: tailscale v1.96.5 ipn/store.go.
Value profile_of(const Value& object) {
    const auto name = secret_datum(object, renderer::kCurrentProfile);
    const auto profile = name && !name->empty() ? secret_datum(object, *name) : std::nullopt;
    auto parsed = profile ? renderer::read_json(*profile) : renderer::Result<Value>(Value());
    return parsed ? std::move(*parsed) : Value();
}

// Joins a JSON list.
std::string joined_list(const std::string& text) {
    const auto list = renderer::read_json(text);
    return fmt::format("{}", fmt::join(texts_of(list ? &*list : nullptr), ","));
}

// Returns the last variable of that name, which is the one that counts.
const Value* find_variable(const Value& object, std::string_view name) {
    const Value* found = nullptr;
    for (const Value& container : items_of(object.at({"spec", "template", "spec", "containers"}))) {
        for (const Value& variable : items_of(container.find("env"))) {
            if (text_of(variable.find("name")) == name) {
                found = &variable;
            }
        }
    }
    return found;
}

// An id becomes part of a path in the tailnet's API, and `..` would leave it. A text that has not
// the form of an id names nothing.
std::string_view id_of(std::string_view text) {
    constexpr std::size_t kLongest = 64;
    const auto is_part = [](char c) { return renderer::is_alphanumeric(c) || c == '-'; };
    return text.size() <= kLongest && std::ranges::all_of(text, is_part) ? text
                                                                         : std::string_view();
}

// For a restarted container the kubelet reports only its last start; then the time at which the
// kubelet accepted the pod is used.
std::optional<Time> start_of(const Value& pod) {
    const std::string_view phase = text_of(pod.at({"status", "phase"}));
    if (phase.empty() || phase == "Pending") {
        return std::nullopt;
    }
    const auto containers = items_of(pod.at({"status", "containerStatuses"}));
    if (!containers.empty()) {
        const Value& first = containers.front();
        const Value* restarts = first.find("restartCount");
        const auto start = parse_time(text_of(first.at({"state", "running", "startedAt"})));
        if (start.has_value() && (restarts == nullptr || restarts->as_int().value_or(0) == 0)) {
            return start;
        }
    }
    return parse_time(text_of(pod.at({"status", "startTime"})));
}

// Empty if the StatefulSet's controller has not looked at it yet, or does not update all pods.
Text revision_of(const Value& set) {
    const Value* seen = set.at({"status", "observedGeneration"});
    const Value* generation = set.at({"metadata", "generation"});
    const Value* partition = set.at({"spec", "updateStrategy", "rollingUpdate", "partition"});
    const bool is_seen = seen != nullptr && generation != nullptr && *seen == *generation;
    const bool is_of_all = partition == nullptr || partition->as_int().value_or(1) == 0;
    const bool is_rolling = text_of(set.at({"spec", "updateStrategy", "type"})) != "OnDelete";
    return is_seen && is_of_all && is_rolling ? Text(text_of(set.at({"status", "updateRevision"})))
                                              : Text();
}

Text digest_of_key(std::string_view key) {
    constexpr std::size_t kDigits = 16;
    return key.empty() ? Text() : Text(renderer::sha256_hex(key).substr(0, kDigits));
}

}  // namespace

std::optional<std::string> secret_datum(const Value& object, std::string_view key) {
    const Value* found = object.at({"data", key});
    if (found == nullptr) {
        return std::nullopt;
    }
    std::string datum = renderer::decode_base64(text_of(found)).value_or("");
    // The datum becomes part of JSON, which invalid UTF-8 would break.
    return renderer::find_bad_utf8(datum) == std::string_view::npos ? datum : std::string();
}

bool ProxySet::is_of(const renderer::Kind& kind) const {
    return renderer::find_kind_in(parent.view()) == &kind;
}

bool ProxySet::writes_state() const {
    const renderer::PodTraits* pods = renderer::find_pods(parent.view());
    return pods == nullptr || pods->write_state;
}

bool ProxySet::asks_for_keys() const {
    const renderer::PodTraits* pods = renderer::find_pods(parent.view());
    return !is_api_proxy && (pods == nullptr || pods->ask_for_keys);
}

std::optional<ProxySet> decode_proxy_set(const Value& object) {
    ProxySet set;
    set.contract = annotation_of(object, renderer::kContractAnnotation);
    if (set.contract.empty() && label_of(object, renderer::label::kManaged) != "true") {
        return std::nullopt;
    }
    set.name = meta(object, "name");
    set.uid = meta(object, "uid");
    set.parent = annotation_of(object, renderer::kParentAnnotation);
    set.tailnet = annotation_of(object, renderer::kTailnetAnnotation);
    set.tags = annotation_of(object, renderer::kTagsAnnotation);
    set.hostnames = split_list(annotation_of(object, renderer::kHostnameAnnotation));
    set.is_api_proxy = find_variable(object, renderer::variable::kProxyConfig) != nullptr;
    set.shares_acme_account =
        find_variable(object, renderer::variable::kAcmeAccountSecret) != nullptr;
    if (const Value* target = find_variable(object, renderer::variable::kTailnetTargetFqdn)) {
        set.target_fqdn = dns_name(text_of(target->find("value")));
    }
    const Value* replicas = object.at({"spec", "replicas"});
    set.replicas = static_cast<int>(replicas == nullptr ? 1 : replicas->as_int().value_or(1));
    set.labels = labels_of(object);
    set.revision = revision_of(object);
    return set;
}

std::optional<StateSecret> decode_state_secret(const Value& object) {
    return label_of(object, renderer::kSecretLabel) == renderer::kStateSecret
               ? std::optional(read_state(object))
               : std::nullopt;
}

StateSecret read_state(const Value& object) {
    StateSecret state;
    state.name = meta(object, "name");
    state.uid = meta(object, "uid");
    state.set = annotation_of(object, renderer::kSetAnnotation);
    state.tailnet = annotation_of(object, renderer::kTailnetAnnotation);
    state.gone_since = annotation_of(object, renderer::kGoneAnnotation);
    state.is_kept = object.at({"metadata", "deletionTimestamp"}) != nullptr &&
                    object.at({"metadata", "finalizers"}) != nullptr;
    state.labels = labels_of(object);
    state.made_at = parse_time(meta(object, "creationTimestamp"));
    state.device_id = id_of(secret_datum(object, renderer::kDeviceId).value_or(""));
    state.device_fqdn = secret_datum(object, renderer::kDeviceFqdn).value_or("");
    state.addresses = joined_list(secret_datum(object, renderer::kDeviceIps).value_or(""));
    state.pod_uid = secret_datum(object, renderer::kPodUid).value_or("");
    state.https_endpoint = secret_datum(object, renderer::kHttpsEndpoint).value_or("");
    state.capability_version = secret_datum(object, renderer::kCapVer).value_or("");
    state.wants_key = secret_datum(object, renderer::kReissueAuthKey).has_value();
    const Value profile = profile_of(object);
    state.node_id = id_of(text_of(profile.at({"Config", "NodeID"})));
    state.login_name = text_of(profile.at({"Config", "UserProfile", "LoginName"}));
    state.services = texts_of(profile.at({"AdvertiseServices"}));
    return state;
}

int StateSecret::capability() const {
    int version = 0;
    const std::string_view text = capability_version;
    std::from_chars(text.data(), text.data() + text.size(), version);
    return version;
}

std::optional<AuthSecret> decode_auth_secret(const Value& object) {
    const std::string name = meta(object, "name");
    // A pod may label its state Secret, but not rename it.
    if (label_of(object, renderer::kSecretLabel) != renderer::kAuthSecret ||
        !(name.ends_with(renderer::kAuthSuffix) || name.ends_with(renderer::kConfigSuffix))) {
        return std::nullopt;
    }
    if (is_taken_by_the_renderer(object)) {
        return std::nullopt;  // `<pod>-config` of a group of another type
    }
    AuthSecret auth;
    auth.name = name;
    auth.uid = meta(object, "uid");
    auth.version = meta(object, "resourceVersion");
    auth.set = annotation_of(object, renderer::kSetAnnotation);
    auth.pod = auth.name.view().substr(0, auth.name.view().rfind('-'));
    if (const auto config = secret_datum(object, renderer::kConfigDatum)) {
        const auto json = renderer::read_json(*config);
        auth.config = config_without_key(*config);
        auth.blank = !json || text_of(json->at({renderer::kConfigKeyField})).empty();
    } else {
        const std::string key = secret_datum(object, renderer::kAuthDatum).value_or("");
        auth.blank = key.empty();
        auth.key_digest = digest_of_key(key);
    }
    auth.tailnet = annotation_of(object, renderer::kTailnetAnnotation);
    auth.hostname = annotation_of(object, renderer::kHostnameAnnotation);
    auth.key_id = annotation_of(object, renderer::kKeyIdAnnotation);
    auth.tags_before = annotation_of(object, renderer::kTagsBeforeAnnotation);
    auth.key_tags = annotation_of(object, renderer::kKeyTagsAnnotation);
    auth.key_created = parse_time(annotation_of(object, renderer::kKeyCreatedAnnotation));
    auth.key_expires = parse_time(annotation_of(object, renderer::kKeyExpiresAnnotation));
    auth.restart_pod = annotation_of(object, renderer::kRestartAnnotation);
    auth.device = annotation_of(object, renderer::kDeviceAnnotation);
    auth.device_tags = annotation_of(object, renderer::kDeviceTagsAnnotation);
    auth.device_named = annotation_of(object, renderer::kDeviceNamedAnnotation);
    auth.device_gone = annotation_of(object, renderer::kDeviceGoneAnnotation);
    auth.gone_since = annotation_of(object, renderer::kGoneAnnotation);
    auth.device_name = annotation_of(object, renderer::kDeviceNameAnnotation);
    auth.device_addresses = annotation_of(object, renderer::kDeviceAddressesAnnotation);
    auth.device_words = annotation_of(object, renderer::kDeviceWordsAnnotation);
    auth.labels = labels_of(object);
    auth.made_at = parse_time(meta(object, "creationTimestamp"));
    return auth;
}

std::optional<DeliveredKey> decode_delivered_key(const Value& object) {
    const auto key = secret_datum(object, renderer::kAuthDatum);
    return DeliveredKey{.is_there = key.has_value(), .digest = digest_of_key(key.value_or(""))};
}

std::optional<StateSecret> decode_named_state(const Value& object) {
    return read_state(object);
}

std::optional<Pod> decode_pod(const Value& object) {
    Pod pod;
    pod.name = meta(object, "name");
    pod.uid = meta(object, "uid");
    pod.leaving = object.at({"metadata", "deletionTimestamp"}) != nullptr;
    pod.started_at = start_of(object);
    pod.revision = label_of(object, "controller-revision-hash");
    for (const Value& condition : items_of(object.at({"status", "conditions"}))) {
        if (text_of(condition.find("type")) == "Ready") {
            pod.ready = text_of(condition.find("status")) == "True";
            pod.ready_changed_at = parse_time(text_of(condition.find("lastTransitionTime")));
        }
    }
    return pod;
}

std::string dns_name(std::string_view fqdn) {
    return renderer::lower_case(fqdn.ends_with('.') ? fqdn.substr(0, fqdn.size() - 1) : fqdn);
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

std::vector<std::string> texts_of(const Value* list) {
    std::vector<std::string> texts;
    texts.reserve(items_of(list).size());
    for (const Value& item : items_of(list)) {
        texts.emplace_back(text_of(item));
    }
    return texts;
}

std::string_view find_label(std::string_view labels, std::string_view key) {
    while (!labels.empty()) {
        const std::string_view label = labels.substr(0, labels.find(','));
        if (label.starts_with(key) && label.substr(key.size()).starts_with('=')) {
            return label.substr(key.size() + 1);
        }
        labels.remove_prefix(std::min(label.size() + 1, labels.size()));
    }
    return {};
}

std::string labelled_parent(std::string_view labels) {
    return renderer::parent_in_labels(find_label(labels, renderer::label::kParentType),
                                      find_label(labels, renderer::label::kParentNamespace),
                                      find_label(labels, renderer::label::kParent));
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
    if (digits.empty() || (digits.size() > 1 && digits[0] == '0') || error != std::errc() ||
        stop != end) {
        return std::nullopt;
    }
    return name;
}

}  // namespace runtime::controller
