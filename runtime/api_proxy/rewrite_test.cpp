#include "runtime/api_proxy/rewrite.h"

#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

RequestHead request(const std::string& head) {
    auto parsed = parse_request(head);
    EXPECT_TRUE(std::holds_alternative<RequestHead>(parsed)) << head;
    return std::get<RequestHead>(parsed);
}

const Caller kCaller{.user = "a@b", .groups = {"g1", "g2"}};

std::string as_caller(const std::string& head) {
    return upstream_head(request(head), Impersonation{kCaller, "secret"}, "100.64.0.7");
}

TEST(Rewrite, NothingOfWhoTheClientSaysItIsGetsThrough) {
    const std::string head =
        "GET /api?x=y HTTP/1.1\r\nHost: api\r\nAccept: */*\r\nAuthorization: Bearer mine\r\n"
        "authorization: Basic x\r\nImpersonate-User: root\r\nIMPERSONATE-GROUP: system:masters\r\n"
        "impersonate-uid: 1\r\nImpersonate-Extra-Scopes: all\r\nImpersonate_User: root\r\n"
        "Impersonate-Anything: x\r\nImpersonate: x\r\nX-Remote-User: root\r\n"
        "x-remote-group: system:masters\r\nX-Remote-Extra-A: b\r\nX_Remote_User: root\r\n"
        "Proxy-Authorization: Basic x\r\nX-Forwarded-For: 9.9.9.9\r\nX-Real-IP: 9.9.9.9\r\n"
        "Forwarded: for=9.9.9.9\r\nX-Forwarded-Host: h\r\nX-Forwarded-Proto: http\r\n"
        "User-Agent: kubectl\r\n\r\n";
    EXPECT_EQ(as_caller(head),
              "GET /api?x=y HTTP/1.1\r\nHost: api\r\nAccept: */*\r\nUser-Agent: kubectl\r\n"
              "X-Forwarded-For: 100.64.0.7\r\nAuthorization: Bearer secret\r\n"
              "Impersonate-User: a@b\r\nImpersonate-Group: g1\r\nImpersonate-Group: g2\r\n\r\n");
}

TEST(Rewrite, WithoutImpersonationTheClientsCredentialsCount) {
    EXPECT_EQ(upstream_head(request("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer mine\r\n"
                                    "Impersonate-User: x\r\nProxy-Authorization: y\r\n\r\n"),
                            std::nullopt, "100.64.0.7"),
              "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer mine\r\nImpersonate-User: x\r\n"
              "X-Forwarded-For: 100.64.0.7\r\n\r\n");
}

TEST(Rewrite, WhatIsOfOneHopEndsHere) {
    EXPECT_EQ(as_caller("POST / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\n"
                        "Keep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\nUpgrade: h2c\r\n"
                        "HTTP2-Settings: x\r\nContent-Length: 3\r\n\r\n"),
              "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX-Forwarded-For: 100.64.0.7\r\n"
              "Authorization: Bearer secret\r\nImpersonate-User: a@b\r\n"
              "Impersonate-Group: g1\r\nImpersonate-Group: g2\r\n\r\n");
}

TEST(Rewrite, ATokenAmongTheProtocolsOfAWebSocketDoesNotGetThrough) {
    const auto protocols = [](const std::string& offered) {
        const std::string head = as_caller(
            "GET / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Protocol: " + offered + "\r\n\r\n");
        const std::size_t begin = head.find("Protocol: ");
        return begin == std::string::npos
                   ? "none"
                   : head.substr(begin + 10, head.find("\r\n", begin) - begin - 10);
    };
    EXPECT_EQ(protocols("v5.channel.k8s.io, v4.channel.k8s.io"),
              "v5.channel.k8s.io, v4.channel.k8s.io");
    EXPECT_EQ(protocols("base64url.bearer.authorization.k8s.io.bWluZQ, v4.channel.k8s.io"),
              "v4.channel.k8s.io");
    EXPECT_EQ(protocols("a,\t BASE64URL.bearer.authorization.k8s.io.bWluZQ ,b"), "a, b");
    EXPECT_EQ(protocols("base64url.bearer.authorization.k8s.io.bWluZQ"), "none");
}

TEST(Rewrite, BodiesAreFramedOnce) {
    const auto framing = [](const std::string& fields, const std::string& method = "POST") {
        const std::string head = as_caller(method + " / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
        const std::size_t begin = head.find("Host: a\r\n") + 9;
        return head.substr(begin, head.find("X-Forwarded-For") - begin);
    };
    EXPECT_EQ(framing("transfer-ENCODING: chunked\r\n"), "Transfer-Encoding: chunked\r\n");
    EXPECT_EQ(framing("content-LENGTH: 007\r\n"), "Content-Length: 7\r\n");
    EXPECT_EQ(framing(""), "Content-Length: 0\r\n");
    EXPECT_EQ(framing("", "GET"), "");
    EXPECT_EQ(framing("Connection: upgrade\r\nUpgrade: WebSocket\r\n", "GET"),
              "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    EXPECT_EQ(framing("Connection: upgrade\r\nUpgrade: spdy/3.1\r\n"),
              "Content-Length: 0\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n");
}

TEST(Rewrite, ResponsesKeepWhatIsTheClients) {
    const auto response = [](const std::string& head, std::string_view method, bool closes) {
        auto parsed = parse_response(head, method);
        return client_head(std::get<ResponseHead>(parsed), closes);
    };
    EXPECT_EQ(response("HTTP/1.1 200 OK\r\nX-A: b\r\nConnection: X-Hop\r\nX-Hop: 1\r\n"
                       "Content-Length: 5\r\n\r\n",
                       "GET", false),
              "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(response("HTTP/1.1 200 OK\r\n\r\n", "GET", true),
              "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD", false),
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "GET", false),
              "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(response("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                       "Upgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n",
                       "GET", false),
              "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n"
              "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
}

TEST(Rewrite, ARefusalIsAStatusOfKubernetes) {
    EXPECT_EQ(refusal_response({403, "no \"x\""}, true),
              "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\n"
              "Cache-Control: no-store\r\nContent-Length: 122\r\nConnection: close\r\n\r\n"
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
              R"("message":"no \"x\"","reason":"Forbidden","code":403})"
              "\n");
    EXPECT_TRUE(refusal_response({429, "x"}, true).find("\r\nRetry-After: 10\r\n") !=
                std::string::npos);
    EXPECT_TRUE(refusal_response({500, "x"}, false).ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace runtime::api_proxy
