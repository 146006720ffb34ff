#include "runtime/api_proxy/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "renderer/base/ascii.h"
#include "renderer/core/json.h"

namespace runtime::api_proxy {

using renderer::Value;

namespace {

constexpr std::size_t kUsualHead = 1024;

// Fields of one hop (RFC 9110 section 7.6.1), and fields that frame the body, which are rewritten.
constexpr std::array<std::string_view, 11> kOfOneHop = {
    "connection", "content-length",      "keep-alive",       "proxy-authenticate",
    "te",         "proxy-authorization", "proxy-connection", "trailer",
    "upgrade",    "http2-settings",      "transfer-encoding"};
// Fields about the origin of a request. The API server's audit log uses them, and only tailscaled
// is trusted for it.
constexpr std::array<std::string_view, 6> kOfOrigin = {"forwarded",        "x-forwarded-for",
                                                       "x-forwarded-host", "x-forwarded-proto",
                                                       "x-real-ip",        "x-forwarded-port"};

bool holds(const auto& names, std::string_view name) {
    return std::ranges::any_of(names, [name](std::string_view one) { return is_named(name, one); });
}

bool says_who(std::string_view name) {
    const auto begins = [name](std::string_view prefix) {
        return is_named(name.substr(0, prefix.size()), prefix);
    };
    return is_named(name, "authorization") || begins("impersonate") || begins("x-remote-");
}

// Returns the protocols of the list that satisfy the condition.
std::string chosen_protocols(std::string_view protocols, bool (*is_chosen)(std::string_view)) {
    std::string out;
    while (!protocols.empty()) {
        const std::size_t comma = std::min(protocols.find(','), protocols.size());
        std::string_view one = protocols.substr(0, comma);
        one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
        one = one.substr(0, one.find_last_not_of(" \t") + 1);
        if (!one.empty() && is_chosen(one)) {
            out.append(out.empty() ? "" : ", ").append(one);
        }
        protocols.remove_prefix(std::min(comma + 1, protocols.size()));
    }
    return out;
}

// Source: kubernetes v1.35 apiserver/pkg/authentication/request/websocket
bool is_no_token(std::string_view protocol) {
    return !renderer::lower_case(protocol).starts_with("base64url.bearer.authorization.k8s.io.");
}

bool is_recordable(std::string_view protocol) {
    return protocol == "v4.channel.k8s.io" || protocol == "v5.channel.k8s.io";
}

bool is_nominated(const std::vector<std::string_view>& nominated, std::string_view name) {
    return std::ranges::any_of(
        nominated, [name](std::string_view other) { return equals_ignoring_case(name, other); });
}

void add(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
}

void add_body(std::string& out, const Body& body, bool says_none) {
    if (body.kind == Body::Kind::Chunked) {
        add(out, "Transfer-Encoding", "chunked");
    } else if (body.kind == Body::Kind::Length || says_none) {
        add(out, "Content-Length", fmt::format("{}", body.length));
    }
}

void add_upgrade(std::string& out, Protocol protocol) {
    if (protocol != Protocol::None) {
        add(out, "Connection", "Upgrade");
        add(out, "Upgrade", protocol == Protocol::WebSocket ? "websocket" : "SPDY/3.1");
    }
}

std::string_view reason_of(int code) {
    switch (code) {
        case 400:
            return "BadRequest";
        case 403:
            return "Forbidden";
        case 429:
            return "TooManyRequests";
        case 503:
            return "ServiceUnavailable";
        default:
            return "InternalError";
    }
}

}  // namespace

std::string recordable_protocols(std::string_view protocols) {
    return chosen_protocols(protocols, is_recordable);
}

std::string upstream_head(const RequestHead& head, const std::optional<Impersonation>& as,
                          std::string_view source, bool is_recorded) {
    std::string out;
    out.reserve(kUsualHead + (as ? as->token.size() : 0));
    out.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
    for (const HeadField& field : head.fields) {
        const std::string_view name = field.name;
        if (holds(kOfOneHop, name) || holds(kOfOrigin, name) || (as && says_who(name)) ||
            is_nominated(head.nominated, name) ||
            (is_recorded && is_named(name, "sec-websocket-extensions"))) {
            continue;
        }
        if ((!as && !is_recorded) || !is_named(name, "sec-websocket-protocol")) {
            add(out, name, field.value);
            continue;
        }
        const std::string protocols =
            chosen_protocols(field.value, is_recorded ? is_recordable : is_no_token);
        if (!protocols.empty()) {
            add(out, name, protocols);
        }
    }
    const bool may_have_body = head.method != "GET" && head.method != "HEAD";
    add_body(out, head.body, may_have_body);
    add_upgrade(out, head.upgrade);
    add(out, "X-Forwarded-For", source);
    if (as) {
        out.append("Authorization: Bearer ").append(as->token).append("\r\n");
        add(out, "Impersonate-User", as->caller.user);
        for (const std::string& group : as->caller.groups) {
            add(out, "Impersonate-Group", group);
        }
    }
    return out.append("\r\n");
}

std::string client_head(const ResponseHead& head, bool closes) {
    std::string out;
    out.reserve(kUsualHead);
    fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status, head.reason);
    const bool has_length_of_another =
        head.body.kind == Body::Kind::None && head.status >= 200;  // as for HEAD and 304
    for (const HeadField& field : head.fields) {
        const std::string_view name = field.name;
        const bool frames = has_length_of_another && is_named(name, "content-length");
        if ((!holds(kOfOneHop, name) || frames) && !is_nominated(head.nominated, name)) {
            add(out, name, field.value);
        }
    }
    add_body(out, head.body, false);
    add_upgrade(out, head.upgrade);
    if (closes && head.upgrade == Protocol::None && head.status >= 200) {
        add(out, "Connection", "close");
    }
    return out.append("\r\n");
}

std::string refusal_response(const Refusal& refusal, bool has_body) {
    const Value status = Value::map({{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"metadata", Value::map()},
                                     {"status", "Failure"},
                                     {"message", refusal.message},
                                     {"reason", reason_of(refusal.code)},
                                     {"code", refusal.code}});
    const std::string body = renderer::write_json(status) + "\n";
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
        "Content-Length: {}\r\n{}Connection: close\r\n\r\n{}",
        refusal.code, reason_of(refusal.code), body.size(),
        refusal.code == 429 ? "Retry-After: 10\r\n" : "", has_body ? body : std::string());
}

}  // namespace runtime::api_proxy
