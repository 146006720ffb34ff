// Fuzz target: for any Secret, everything that the controller makes from it is UTF-8, ids of
// devices name nothing else in the tailnet's API, the table of devices has one line of JSON for
// each, and an auth Secret that is written from what was read reads the same. The input is a Secret
// with `stringData` instead of `data`, or with both; values that are not strings are replaced by
// their JSON.
#include <algorithm>
#include <cstdint>

#include "renderer/base/ascii.h"
#include "renderer/base/base64.h"
#include "renderer/base/check.h"
#include "renderer/base/utf8.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/keys/secrets.h"
#include "runtime/controller/object_status/egress_status.h"
#include "runtime/controller/records/devices.h"
#include "runtime/controller/view/static_endpoints.h"

namespace {

using namespace runtime;
using namespace runtime::controller;
using renderer::text_list;
using renderer::text_of;
using renderer::Value;

// Converts it as the API server stores it.
void store(Value& secret) {
    const Value* plain = secret.find("stringData");
    if (plain == nullptr || !plain->is_map()) {
        return;
    }
    Value data = Value::map();
    for (const renderer::Member& member : plain->members()) {
        const Value& value = member.value;
        data.add(member.key.clone(),
                 renderer::encode_base64(value.is_string() ? std::string(value.text())
                                                           : renderer::write_json(value)));
    }
    secret.put("data", std::move(data));
}

void check_texts(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) {
        CHECK(renderer::find_bad_utf8(text) == std::string_view::npos);
    }
}

void check_id(std::string_view id) {
    CHECK(std::ranges::all_of(id, [](char c) { return renderer::is_alphanumeric(c) || c == '-'; }));
}

void check_devices_table(const StateSecret& state, const ProxySet* set, const Pod* pod) {
    const Replica replica{.pod_name = state.name, .set = set, .state = &state, .pod = pod};
    const std::string text = renderer::write_json(device_line(replica, "late"));
    CHECK(text.find('\n') == std::string::npos);
    const auto line = renderer::read_json(text);
    CHECK(line && text_of(line->find("device")).empty());  // nothing is noted
    check_texts({text});
}

void check_state(const Value& secret) {
    const StateSecret state = read_state(secret);
    check_id(state.device_id);
    check_id(state.node_id);
    check_texts({state.name, state.uid, state.set, state.tailnet, state.device_fqdn,
                 state.addresses, state.pod_uid, state.https_endpoint, state.login_name,
                 state.capability_version, state.gone_since, state.labels});
    for (const std::string& service : state.services) {
        check_texts({service});
    }
    ProxySet set;
    set.replicas = 1;
    Pod pod;
    pod.uid = state.pod_uid;
    check_devices_table(state, nullptr, nullptr);
    check_devices_table(state, &set, &pod);
    set.parent = "Recorder/a";
    check_devices_table(state, &set, &pod);
    const auto decoded = decode_state_secret(secret);
    CHECK(!decoded || *decoded == state);
}

// The key itself is not kept.
std::string_view key_in(const AuthSecret& auth) {
    return auth.blank ? "" : "tskey-auth-1";
}

void check_auth(const Value& secret) {
    const auto auth = decode_auth_secret(secret);
    if (!auth) {
        return;
    }
    const auto noted = [&secret](std::string_view key) {
        return std::string(text_of(secret.at({"metadata", "annotations", key})));
    };
    const auto config = renderer::read_json(auth->config.empty() ? "{}" : auth->config);
    CHECK(config && config->is_map() && config->find(renderer::kConfigKeyField) == nullptr);
    Value written = auth_secret("ns", auth->pod, auth->set, auth->version, "",
                                {.key = {.id = auth->key_id,
                                         .key = std::string(key_in(*auth)),
                                         .created = noted(renderer::kKeyCreatedAnnotation),
                                         .expires = noted(renderer::kKeyExpiresAnnotation)},
                                 .key_tags = auth->key_tags,
                                 .restart_pod = auth->restart_pod,
                                 .device = auth->device,
                                 .device_tags = auth->device_tags,
                                 .device_name = auth->device_name,
                                 .device_addresses = auth->device_addresses,
                                 .device_words = auth->device_words,
                                 .device_named = auth->device_named,
                                 .device_gone = auth->device_gone,
                                 .tags_before = auth->tags_before,
                                 .tailnet = auth->tailnet,
                                 .hostname = auth->hostname,
                                 .config = auth->config});
    const std::string text = renderer::write_json(written);
    check_texts({text});
    auto again = decode_auth_secret(*renderer::read_json(text));
    CHECK(again && again->pod == auth->pod);
    again->name = auth->name;
    again->uid = auth->uid;
    again->made_at = auth->made_at;
    again->labels = auth->labels;
    again->key_digest = auth->key_digest;  // the key itself is not decoded
    if (config->find("Version") == nullptr) {
        again->blank = auth->blank;  // there is no place for a key
    }
    CHECK(*again == *auth);
}

void check_others(const Value& secret) {
    if (const auto certificate = decode_certificate(secret)) {
        check_texts({certificate->name, certificate->uid});
        CHECK(certificate->hash.empty() || certificate->hash.size() == 16);
    }
    if (const auto replica = decode_egress_replica(secret)) {
        for (const auto& [service, target] : replica->targets) {
            check_texts({service, target.ip, target.fqdn});
        }
    }
    if (const auto endpoints = decode_static_endpoints(secret)) {
        CHECK(!endpoints->addresses.empty());
        check_texts({renderer::write_json(text_list(endpoints->addresses))});
    }
}

}  // namespace

extern "C" int fuzz_secrets(const std::uint8_t* data, std::size_t size) {
    auto secret = renderer::read_json({reinterpret_cast<const char*>(data), size});
    if (!secret || !secret->is_map()) {
        return 0;
    }
    store(*secret);
    check_state(*secret);
    check_auth(*secret);
    check_others(*secret);
    return 0;
}
