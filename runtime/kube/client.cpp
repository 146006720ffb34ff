#include "runtime/kube/client.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/file.h"
#include "runtime/base/json_items.h"

namespace runtime::kube {

using renderer::text_of;
using renderer::Value;

namespace {
Reply decode(HttpReply reply) {
    Reply out;
    out.code = reply.status;
    out.may_be_done = reply.may_be_done;
    if (reply.status == 0) {
        out.message = std::move(reply.problem);
        return out;
    }
    auto body = renderer::read_json_within_limits(reply.body);
    if (out.ok() && body) {
        out.object = std::move(*body);
        return out;
    }
    if (out.ok()) {
        out.code = 0;  // a page of a proxy, or a truncated reply
        out.may_be_done = true;
        out.message = fmt::format("the API server's response is not JSON: {}",
                                  body.error().diagnostic.message);
        return out;
    }
    if (body && body->is_map()) {
        out.reason = text_of(body->find("reason"));
        out.message = text_of(body->find("message"));
    }
    if (out.message.empty()) {
        out.message = fmt::format("HTTP status {}", out.code);
    }
    return out;
}

constexpr auto kNothing = +[] { return std::string("{}"); };

// A success has the result of `body`, if given, instead of its own body.
std::function<void(HttpReply)> decoded(Done done, std::function<std::string()> body = nullptr) {
    return [done = std::move(done), body = std::move(body)](HttpReply reply) {
        reply.body = body != nullptr && reply.status == 200 ? body() : std::move(reply.body);
        done(decode(std::move(reply)));
    };
}
}  // namespace

std::string path_of(const renderer::Kind& kind, std::string_view ns, std::string_view name) {
    std::string path(kind.group().empty() ? "/api/" : "/apis/");
    path.append(kind.api_version);
    if (!ns.empty()) {
        path.append("/namespaces/").append(ns);
    }
    path.append("/").append(kind.plural);
    if (!name.empty()) {
        path.append("/").append(name);
    }
    return path;
}

HttpRequest Client::request(std::string_view method, const std::string& path) const {
    HttpRequest out;
    out.method = method;
    out.url = access_.server + path;
    out.timeout = timeout_;
    out.ca_file = access_.ca_file;
    out.headers = {"Accept: application/json"};
    out.identity = access_.identity;
    auto token = renderer::Result<std::string>(access_.token);
    if (access_.token.empty() && !access_.token_file.empty()) {
        token = read_trimmed(access_.token_file);
    }
    if (token && !token->empty()) {  // without a token the server answers 401
        out.headers.push_back("Authorization: Bearer " + *token);
    }
    return out;
}

void Client::change(std::string_view method, const std::string& path, std::string_view type,
                    const Value& body, Done done) {
    HttpRequest out = request(method, path);
    out.headers.push_back(fmt::format("Content-Type: {}", type));
    out.body = renderer::write_json(body);
    // For a merge only the success matters, so the response is not parsed.
    const auto answer = type.starts_with("application/strat") ? kNothing : nullptr;
    transport_.send(std::move(out), decoded(std::move(done), answer), nullptr);
}

void Client::get(const std::string& path, Done done) {
    transport_.send(request("GET", path), decoded(std::move(done)), nullptr);
}

void Client::apply(const std::string& path, const Value& object, Done done) {
    change("PATCH", path + "?fieldManager=tailrender-controller&force=true",
           "application/apply-patch+yaml", object, std::move(done));
}

void Client::erase(const std::string& path, const Preconditions& only_if, Done done,
                   std::string_view propagation) {
    Value conditions = Value::map();
    put_if(conditions, !only_if.uid.empty(), "uid", Value(only_if.uid));
    put_if(conditions, !only_if.version.empty(), "resourceVersion", Value(only_if.version));
    Value options = Value::map({{"apiVersion", "v1"},
                                {"kind", "DeleteOptions"},
                                {"preconditions", std::move(conditions)}});
    put_if(options, !propagation.empty(), "propagationPolicy", Value(propagation));
    change("DELETE", path, "application/json", options, std::move(done));
}

RequestId Client::list(const std::string& path, const std::string& query, OnItem on_item,
                       Done done) {
    const auto items = std::make_shared<JsonItems>(std::move(on_item));
    return transport_.send(request("GET", path + "?" + query),
                           decoded(std::move(done), [items] { return items->rest(); }),
                           [items](std::string_view bytes) { items->take(bytes); });
}

RequestId Client::watch(const std::string& path, const std::string& query, Duration silence,
                        std::function<void(std::string_view)> on_data, Done done) {
    HttpRequest out = request("GET", path + "?" + query);
    out.timeout = silence;
    // The body was passed to on_data.
    return transport_.send(std::move(out), decoded(std::move(done), kNothing), std::move(on_data));
}

}  // namespace runtime::kube
