#include "runtime/testing/fake_tailnet.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/view/objects.h"

namespace runtime {

using renderer::text_list;
using renderer::text_of;
using renderer::Value;

namespace {

HttpReply refuse(int status, const std::string& message) {
    return json_reply(status, Value::map({{"message", message}}));
}

constexpr const char* kNoScope =
    "calling actor does not have enough permissions to perform this function";

// Returns the fields that the API returns by default, as far as they are used.
Value told(const FakeTailnet::Device& device) {
    Value answer = Value::map({{"nodeId", device.id},
                               {"name", device.name + ".tail1a2b3.ts.net"},
                               {"hostname", device.hostname},
                               {"addresses", text_list(FakeTailnet::addresses_of(device))},
                               {"lastSeen", format_seconds(device.last_seen)},
                               {"connectedToControl", device.is_online}});
    put_if(answer, !device.tags.empty(), "tags", text_list(device.tags));
    return answer;
}

// Checks by rules of its own, since the tested rules must not check themselves.
bool is_service_name(std::string_view name) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!name.starts_with("svc:")) {
        return false;
    }
    name.remove_prefix(4);
    return !name.empty() && name.size() <= 63 && !name.starts_with('-') && !name.ends_with('-') &&
           name.find_first_not_of(kLetters) == std::string_view::npos;
}

bool is_port(std::string_view port) {
    return port == "do-not-validate" ||
           ((port.starts_with("tcp:") || port.starts_with("udp:")) && port.size() > 4 &&
            port.find_first_not_of("0123456789-", 4) == std::string_view::npos);
}

}  // namespace

HttpReply FakeTailnet::answer(const HttpRequest& request, const std::string& path,
                              const std::shared_ptr<Stream>&) {
    const bool is_exchange = path == "/api/v2/oauth/token-exchange";
    if (is_exchange || path == "/api/v2/oauth/token") {
        return answer_token(request, is_exchange);
    }
    const std::string wanted = "Authorization: Bearer " + token_;
    if (token_.empty() || std::find(request.headers.begin(), request.headers.end(), wanted) ==
                              request.headers.end()) {
        return refuse(401, "API token invalid");
    }
    constexpr std::string_view kKeys = "/api/v2/tailnet/-/keys";
    constexpr std::string_view kDevice = "/api/v2/device/";
    constexpr std::string_view kServicesPath = "/api/v2/tailnet/-/vip-services/";
    if (path.starts_with(kServicesPath)) {
        return answer_service(request, path.substr(kServicesPath.size()));
    }
    if (path.starts_with(kKeys)) {
        return answer_keys(request, path.substr(kKeys.size()));
    }
    if (request.method == "GET" && path == "/api/v2/tailnet/-/devices") {
        return list_devices();
    }
    if (path.starts_with(kDevice)) {
        return answer_device(request, path.substr(kDevice.size()));
    }
    return refuse(404, "no such path");
}

HttpReply FakeTailnet::answer_token(const HttpRequest& request, bool is_exchange) {
    if (is_exchange) {
        exchanges.push_back(request.body);
    }
    const std::string wanted = is_exchange ? "&jwt=jwt-" : "client_secret=" + wanted_secret;
    if ((is_exchange && !trusts_cluster) || request.body.find(wanted) == std::string::npos) {
        return refuse(401, "API token invalid");
    }
    token_ = fmt::format("token-{}", ++tokens);
    return json_reply(
        200,
        Value::map({{"access_token", token_}, {"token_type", "Bearer"}, {"expires_in", 3600}}));
}

HttpReply FakeTailnet::answer_keys(const HttpRequest& request, const std::string& rest) {
    if (request.method == "GET" && rest.empty()) {
        Value list = Value::list();
        for (const auto& [id, key] : keys) {
            if (!is_usable(key)) {
                continue;
            }
            Value item = Value::map({{"id", id}});
            put_if(item, lists_descriptions, "description", Value(key.description));
            list.append(std::move(item));
        }
        return json_reply(200, Value::map({{"keys", std::move(list)}}));
    }
    if (request.method == "POST" && rest.empty()) {
        const auto body = renderer::read_json(request.body);
        const Value* create = body ? body->at({"capabilities", "devices", "create"}) : nullptr;
        Key key;
        key.tags = controller::texts_of(create == nullptr ? nullptr : create->find("tags"));
        key.description = body ? text_of(body->find("description")) : "";
        for (const std::string& tag : key.tags) {
            if (!known_tags.empty() && !known_tags.contains(tag)) {
                return refuse(400,
                              fmt::format("requested tags [{}] are invalid or not permitted", tag));
            }
        }
        if (key.tags.empty() || key.description.size() > 50) {
            return refuse(400, "requested tags [] are invalid or not permitted");
        }
        key.id = fmt::format("k{}CNTRL", next_++);
        key.secret = fmt::format("tskey-auth-{}-{}", key.id, next_);
        const Value* life = body ? body->find("expirySeconds") : nullptr;
        key.expires =
            clock_.now() + (life == nullptr ? std::chrono::days(90)
                                            : std::chrono::seconds(life->as_int().value_or(0)));
        keys[key.id] = key;
        return json_reply(200, Value::map({{"id", key.id},
                                           {"key", key.secret},
                                           {"created", format_seconds(clock_.now())},
                                           {"expires", format_seconds(key.expires)}}));
    }
    const auto key = rest.empty() ? keys.end() : keys.find(rest.substr(1));
    if (key == keys.end() || key->second.revoked) {
        return refuse(404, "key not found");
    }
    if (request.method == "DELETE") {
        key->second.revoked = true;
        return json_reply(200, Value::map());
    }
    return json_reply(200,
                      Value::map({{"id", key->first}, {"description", key->second.description}}));
}

HttpReply FakeTailnet::answer_device(const HttpRequest& request, const std::string& rest) {
    const std::string id = rest.substr(0, rest.find_first_of("/?"));
    const auto device = devices.find(id);
    if (device == devices.end()) {
        return refuse(404, "no manageable device matching id found");
    }
    if (request.method == "DELETE") {
        devices.erase(device);
        return json_reply(200, Value::map());
    }
    if (request.method == "POST") {
        const auto body = renderer::read_json(request.body);
        device->second.tags = controller::texts_of(body ? body->find("tags") : nullptr);
        return json_reply(200, Value::map());
    }
    return may_read_devices ? json_reply(200, told(device->second)) : refuse(403, kNoScope);
}

HttpReply FakeTailnet::list_devices() const {
    if (!may_read_devices) {
        return refuse(403, kNoScope);
    }
    Value list = Value::list();
    for (const auto& [unused, device] : devices) {
        list.append(told(device));
    }
    return json_reply(200, Value::map({{"devices", std::move(list)}}));
}

HttpReply FakeTailnet::answer_service(const HttpRequest& request, const std::string& name) {
    if (request.method == "PUT") {
        auto body = renderer::read_json(request.body);
        return body && body->is_map() ? put_service(name, std::move(*body))
                                      : refuse(400, "invalid request body");
    }
    const auto service = services.find(name);
    if (service == services.end()) {
        return refuse(404, "service not found");
    }
    if (request.method == "DELETE") {
        services.erase(service);
        return json_reply(200, Value::map());
    }
    return json_reply(200, service->second);
}

HttpReply FakeTailnet::put_service(const std::string& name, Value service) {
    const std::set<std::string_view> fields{"name",        "addrs", "comment",
                                            "annotations", "ports", "tags"};
    for (const renderer::Member& member : service.members()) {
        if (!fields.contains(member.name())) {
            return refuse(400, fmt::format("unknown field \"{}\"", member.name()));
        }
    }
    if (text_of(service.find("name")) != name || !is_service_name(name)) {
        return refuse(400, "the name is not of the form svc:LABEL");
    }
    for (const std::string& port : controller::texts_of(service.find("ports"))) {
        if (!is_port(port)) {
            return refuse(400, fmt::format("port \"{}\" is invalid", port));
        }
    }
    const auto tags = controller::texts_of(service.find("tags"));
    for (const std::string& tag : tags) {
        if (!tag.starts_with("tag:") || unowned_tags.contains(tag)) {
            return refuse(400, fmt::format("tag \"{}\" is invalid or not permitted", tag));
        }
    }
    if (tags.empty()) {
        return refuse(400, "a service of an OAuth client has tags");
    }
    const auto known = services.find(name);
    const auto addresses = controller::texts_of(service.find("addrs"));
    if (known != services.end() && addresses != controller::texts_of(known->second.find("addrs"))) {
        return refuse(400, "the addresses are not those that the service has");
    }
    if (known == services.end()) {
        if (!addresses.empty()) {
            return refuse(400, "a new service gets its addresses here");
        }
        const std::size_t number = next_address_++;
        service.put("addrs", Value::list({fmt::format("100.100.0.{}", number),
                                          fmt::format("fd7a:115c:a1e0::{:x}", number)}));
    }
    return json_reply(200, services.insert_or_assign(name, std::move(service)).first->second);
}

std::string FakeTailnet::join(const std::string& secret, const std::string& hostname) {
    for (auto& [id, key] : keys) {
        if (key.secret == secret && is_usable(key)) {
            key.spent = true;
            std::string device = fmt::format("n{}CNTRL", next_++);
            const bool is_taken = std::any_of(
                devices.begin(), devices.end(),
                [&hostname](const auto& other) { return other.second.name == hostname; });
            devices[device] = {
                device,   hostname, id,           is_taken ? hostname + "-1" : hostname,
                key.tags, true,     clock_.now(), next_device_++};
            return device;
        }
    }
    return {};
}

std::vector<std::string> FakeTailnet::addresses_of(const Device& device) {
    return {fmt::format("100.64.0.{}", device.number),
            fmt::format("fd7a:115c:a1e0::{}", device.number)};
}

std::vector<std::string> FakeTailnet::usable_keys() const {
    std::vector<std::string> usable;
    for (const auto& [id, key] : keys) {
        if (is_usable(key)) {
            usable.push_back(id);
        }
    }
    return usable;
}

}  // namespace runtime
