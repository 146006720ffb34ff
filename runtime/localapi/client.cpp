#include "runtime/localapi/client.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime::localapi {

using renderer::Value;

namespace {

constexpr Duration kLongestOrder = std::chrono::minutes(30);  // for a certificate
constexpr std::string_view kBase = "http://local-tailscaled.sock/localapi/v0/";

// Returns the error of tailscaled, which is plain text or {"error": "…"}.
std::string problem_of(const HttpReply& reply) {
    if (reply.status == 0) {
        return reply.problem;
    }
    std::string_view text = reply.body;
    const auto json = renderer::read_json(text);
    std::string from_json(json ? renderer::text_of(json->is_map() ? json->find("error") : nullptr)
                               : std::string_view());
    if (!from_json.empty()) {
        return from_json;
    }
    while (text.ends_with('\n')) {
        text.remove_suffix(1);
    }
    return fmt::format("HTTP status {}{}{}", reply.status, text.empty() ? "" : ": ",
                       text.substr(0, 500));
}

LocalReply decode(HttpReply reply) {
    LocalReply out;
    out.code = reply.status;
    out.retry_after = reply.retry_after;
    if (reply.status < 200 || reply.status > 299) {
        out.problem = problem_of(reply);
    }
    out.etag = header_of(reply, "etag");
    out.body = std::move(reply.body);
    return out;
}

}  // namespace

void LocalApi::send(std::string method, std::string_view path, std::string body, Duration timeout,
                    std::vector<std::string> headers, LocalDone done) {
    HttpRequest request;
    request.method = std::move(method);
    request.url = std::string(kBase).append(path);
    request.body = std::move(body);
    request.timeout = timeout;
    request.headers = std::move(headers);
    transport_.send(
        std::move(request),
        [done = std::move(done)](HttpReply reply) { done(decode(std::move(reply))); }, nullptr);
}

void LocalApi::get(std::string_view path, Duration timeout, LocalDone done) {
    send("GET", path, {}, timeout, {}, std::move(done));
}

void LocalApi::post(std::string_view path, std::string body, LocalDone done) {
    send("POST", path, std::move(body), kQuick, {}, std::move(done));
}

void LocalApi::edit_prefs(const Value& masked, LocalDone done) {
    send("PATCH", "prefs", renderer::write_json(masked), kQuick, {"Content-Type: application/json"},
         std::move(done));
}

void LocalApi::set_serve_config(std::string config, const std::string& etag, LocalDone done) {
    send("POST", "serve-config", std::move(config), kQuick,
         {"Content-Type: application/json", "If-Match: " + etag}, std::move(done));
}

void LocalApi::cert(std::string_view domain, LocalDone done) {
    get(fmt::format("cert/{}?type=pair&min_validity=0s", escape_url(domain)), kLongestOrder,
        std::move(done));
}

void LocalApi::whois(std::string_view address, LocalDone done) {
    get(fmt::format("whois?addr={}", escape_url(address)), kQuick, std::move(done));
}

void LocalApi::set_udp_gro_forwarding(LocalDone done) {
    get("set-udp-gro-forwarding", kQuick, std::move(done));
}

void LocalApi::reload_config(LocalDone done) {
    post("reload-config", {}, [done = std::move(done)](LocalReply reply) {
        if (reply.ok()) {
            const auto said = renderer::read_json(reply.body);
            const std::string_view problem =
                said && said->is_map() ? renderer::text_of(said->find("Err")) : std::string_view();
            if (!said) {
                reply.problem = "tailscaled did not take the configuration";
            } else if (!problem.empty()) {
                reply.problem = problem;
            }
        }
        done(std::move(reply));
    });
}

RequestId LocalApi::watch_bus(unsigned mask, Duration silence,
                              std::function<void(std::string_view)> on_data, LocalDone done) {
    HttpRequest request;
    request.url = fmt::format("{}watch-ipn-bus?mask={}", kBase, mask);
    request.timeout = silence;
    return transport_.send(
        std::move(request),
        [done = std::move(done)](HttpReply reply) { done(decode(std::move(reply))); },
        std::move(on_data));
}

}  // namespace runtime::localapi
