#include "runtime/testing/fake_tailnet.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

HttpReply refuse(int status, const std::string& message) {
    return json_reply(status, Value::map({{"message", message}}));
}

std::vector<std::string> texts(const Value* list) {
    std::vector<std::string> out;
    if (list != nullptr && list->is_list()) {
        for (const Value& item : list->items()) {
            out.emplace_back(text_of(item));
        }
    }
    return out;
}

Value list_of(const std::vector<std::string>& all) {
    Value list = Value::list();
    for (const std::string& text : all) {
        list.append(text);
    }
    return list;
}

}  // namespace

HttpReply FakeTailnet::answer(const HttpRequest& request, const std::string& path,
                              const std::shared_ptr<Stream>&) {
    if (path == "/api/v2/oauth/token") {
        if (request.body.find("client_secret=" + wanted_secret) == std::string::npos) {
            return refuse(401, "API token invalid");
        }
        token_ = fmt::format("token-{}", ++tokens);
        return json_reply(
            200,
            Value::map({{"access_token", token_}, {"token_type", "Bearer"}, {"expires_in", 3600}}));
    }
    const std::string wanted = "Authorization: Bearer " + token_;
    if (token_.empty() || std::find(request.headers.begin(), request.headers.end(), wanted) ==
                              request.headers.end()) {
        return refuse(401, "API token invalid");
    }
    constexpr std::string_view kKeys = "/api/v2/tailnet/-/keys";
    constexpr std::string_view kDevice = "/api/v2/device/";
    if (path.starts_with(kKeys)) {
        return answer_keys(request, path.substr(kKeys.size()));
    }
    if (path.starts_with(kDevice)) {
        return answer_device(request, path.substr(kDevice.size()));
    }
    return refuse(404, "no such path");
}

HttpReply FakeTailnet::answer_keys(const HttpRequest& request, const std::string& rest) {
    if (request.method == "GET" && rest.empty()) {
        Value list = Value::list();
        for (const auto& [id, key] : keys) {
            if (key.revoked || key.spent) {
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
        key.tags = texts(create == nullptr ? nullptr : create->find("tags"));
        key.description = body ? text_of(body->find("description")) : "";
        if (key.tags.empty() || key.description.size() > 50) {
            return refuse(400, "requested tags [] are invalid or not permitted");
        }
        key.id = fmt::format("k{}CNTRL", next_++);
        key.secret = fmt::format("tskey-auth-{}-{}", key.id, next_);
        keys[key.id] = key;
        return json_reply(
            200, Value::map({{"id", key.id},
                             {"key", key.secret},
                             {"created", format_seconds(clock_.now())},
                             {"expires", format_seconds(clock_.now() + std::chrono::days(90))}}));
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
        device->second.tags = texts(body ? body->find("tags") : nullptr);
        return json_reply(200, Value::map());
    }
    return json_reply(200, Value::map({{"nodeId", id},
                                       {"hostname", device->second.hostname},
                                       {"tags", list_of(device->second.tags)}}));
}

std::string FakeTailnet::join(const std::string& secret, const std::string& hostname) {
    for (auto& [id, key] : keys) {
        if (key.secret == secret && !key.spent && !key.revoked) {
            key.spent = true;
            std::string device = fmt::format("n{}CNTRL", next_++);
            const bool is_taken = std::any_of(
                devices.begin(), devices.end(),
                [&hostname](const auto& other) { return other.second.name == hostname; });
            devices[device] = {device, hostname, id, is_taken ? hostname + "-1" : hostname,
                               key.tags};
            return device;
        }
    }
    return {};
}

std::vector<std::string> FakeTailnet::usable_keys() const {
    std::vector<std::string> usable;
    for (const auto& [id, key] : keys) {
        if (!key.spent && !key.revoked) {
            usable.push_back(id);
        }
    }
    return usable;
}

}  // namespace runtime
