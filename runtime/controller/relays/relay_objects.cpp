#include "runtime/controller/relays/relay_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/base/base64.h"
#include "renderer/contract/annotations.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/labels.h"
#include "renderer/contract/ports.h"
#include "renderer/contract/relay_config.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/kinds.h"
#include "runtime/controller/object_status/relay_status.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::Member;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr const auto& kRelayPods = renderer::kind_of(kRelayKind).role.pods;
constexpr std::string_view kEndpointsField = "RelayServerStaticEndpoints";
constexpr std::string_view kPortField = "RelayServerPort";

// "<pod>.cap-148.hujson", split after the pod. No value if the pod is not the relay's.
struct ConfigKey {
    std::string_view pod, key;
};
std::optional<ConfigKey> split_key(std::string_view text, std::string_view relay) {
    const std::size_t end = text.size() - std::min(text.size(), renderer::kHujson.size());
    const std::size_t dot = text.rfind('.', end == 0 ? 0 : end - 1);
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const ConfigKey parts{.pod = text.substr(0, dot), .key = text.substr(dot + 1)};
    const auto replica = split_replica(parts.pod);
    const bool is_its_pod = replica.has_value() && replica->set == relay_set_name(relay);
    return is_its_pod && renderer::config_capability(parts.key) ? std::optional(parts)
                                                                : std::nullopt;
}

// Endpoints that cannot be read are left out.
std::vector<Endpoint> read_endpoints(const Value* list) {
    std::vector<Endpoint> endpoints;
    for (const std::string& text : texts_of(list)) {
        std::string problem;
        if (auto endpoint = parse_endpoint(text, problem); endpoint && endpoint->port != 0) {
            endpoints.push_back(std::move(*endpoint));
        }
    }
    return endpoints;
}

int port_of(const Value& config) {
    const Value* port = config.find(kPortField);
    return port == nullptr ? renderer::port::kRelay
                           : static_cast<int>(port->as_int().value_or(renderer::port::kRelay));
}

std::string with_endpoints(std::string_view config, const std::vector<std::string>& addresses,
                           const std::vector<Endpoint>& fixed) {
    auto json = renderer::read_json(config);
    if (!json || !json->is_map()) {
        return std::string(config);
    }
    Value list = Value::list();
    for (const Endpoint& endpoint : merged_endpoints(addresses, port_of(*json), fixed)) {
        list.append(endpoint_text(endpoint));
    }
    json->erase(kEndpointsField);
    if (list.size() > 0) {
        json->add(kEndpointsField, std::move(list));
    }
    return renderer::write_json(*json);
}

void read_datum(const Member& member, RelayConfig& relay) {
    const std::string_view text = text_of(member.value);
    if (member.name() == renderer::kStaticEndpointsDatum) {
        const auto list = renderer::read_json(text);
        if (list && list->is_list()) {
            relay.fixed = read_endpoints(&*list);
        } else {
            relay.problem = fmt::format("\"{}\" is not a list", member.name());
        }
    } else if (const auto parts = split_key(member.name(), relay.name)) {
        const auto config = renderer::read_json(text);
        if (config && config->find("Version") != nullptr) {
            relay.configs[std::string(parts->pod)].emplace(parts->key, text);
        } else {
            relay.problem = fmt::format("\"{}\" has no \"Version\"", member.name());
        }
    }
}

}  // namespace

std::string relay_set_name(std::string_view relay) {
    return fmt::format("{}{}", renderer::kRelaySetPrefix, relay);
}

std::optional<RelayConfig> decode_relay(const Value& object) {
    std::string_view name = text_of(object.at({"metadata", "name"}));
    if (!name.starts_with(renderer::kRelayPrefix)) {
        return std::nullopt;
    }
    name.remove_prefix(renderer::kRelayPrefix.size());
    RelayConfig relay;
    relay.name = name;
    relay.uid = text_of(object.at({"metadata", "uid"}));
    relay.contract = text_of(object.at({"metadata", "annotations", renderer::kContractAnnotation}));
    if (relay.contract == renderer::kContractVersion) {
        for (const Member& member : renderer::members_of(object.find("data"))) {
            read_datum(member, relay);
        }
    }
    return relay;
}

std::optional<RelaySecret> decode_relay_secret(const Value& object) {
    const std::string_view name = text_of(object.at({"metadata", "name"}));
    // A pod may label its state Secret, but not rename it.
    if (text_of(object.at({"metadata", "labels", renderer::kSecretLabel})) !=
            renderer::kConfigSecret ||
        !name.ends_with(renderer::kConfigSuffix)) {
        return std::nullopt;
    }
    RelaySecret secret;
    secret.name = name;
    secret.pod = name.substr(0, name.size() - renderer::kConfigSuffix.size());
    secret.uid = text_of(object.at({"metadata", "uid"}));
    secret.addresses = split_list(
        text_of(object.at({"metadata", "annotations", renderer::kBalancerAddressesAnnotation})));
    for (const Member& member : renderer::members_of(object.find("data"))) {
        secret.data.emplace(member.name(),
                            secret_datum(object, member.name()).value_or(std::string()));
    }
    return secret;
}

std::vector<Endpoint> RelaySecret::endpoints() const {
    const auto json =
        data.empty() ? renderer::Result<Value>(Value()) : renderer::read_json(data.begin()->second);
    return read_endpoints(json ? json->find(kEndpointsField) : nullptr);
}

RelayContent relay_content(const RelayConfig& relay, std::string_view pod,
                           const std::vector<std::string>& addresses) {
    RelayContent content{.data = {}, .addresses = addresses};
    if (const auto configs = relay.configs.find(std::string(pod)); configs != relay.configs.end()) {
        for (const auto& [key, config] : configs->second) {
            content.data.emplace(key, with_endpoints(config, addresses, relay.fixed));
        }
    }
    return content;
}

bool says(const RelaySecret& secret, const RelayContent& content) {
    return secret.data == content.data && secret.addresses == content.addresses;
}

Value relay_secret(std::string_view ns, std::string_view relay, std::string_view pod) {
    const auto replica = split_replica(pod);
    Value labels = Value::map();
    for (const auto& [key, value] :
         {std::pair<std::string_view, std::string>(renderer::label::kManaged, "true"),
          {renderer::label::kParent, std::string(relay)},
          {renderer::label::kParentType, std::string(kRelayPods->parent_type)},
          {renderer::label::kRelayReplica,
           replica.has_value() ? fmt::format("{}", replica->ordinal) : std::string()},
          {renderer::label::kSecretType, "config"},
          {renderer::kSecretLabel, std::string(renderer::kConfigSecret)}}) {
        labels.put(Value(key), Value(value));
    }
    return Value::map(
        {{"apiVersion", "v1"},
         {"kind", "Secret"},
         {"metadata", Value::map({{"name", renderer::config_secret_name(pod)},
                                  {"namespace", ns},
                                  {"labels", std::move(labels)},
                                  {"annotations", Value::map({{renderer::kSetAnnotation,
                                                               relay_set_name(relay)}})}})},
         {"type", "Opaque"}});
}

void put_content(Value& secret, const RelayContent& content) {
    Value data = Value::map();
    for (const auto& [key, text] : content.data) {
        data.add(Value(key), Value(renderer::encode_base64(text)));
    }
    secret.put("data", std::move(data));
    Value& metadata = *secret.find("metadata");
    if (metadata.find("annotations") == nullptr) {
        metadata.put("annotations", Value::map());
    }
    Value& annotations = *metadata.find("annotations");
    annotations.erase(renderer::kBalancerAddressesAnnotation);
    put_if(annotations, !content.addresses.empty(), Value(renderer::kBalancerAddressesAnnotation),
           Value(fmt::format("{}", fmt::join(content.addresses, ","))));
}

}  // namespace runtime::controller
