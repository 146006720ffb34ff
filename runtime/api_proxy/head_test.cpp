#include "runtime/api_proxy/head.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

using namespace std::string_literals;

std::string body_of(const Body& body) {
    switch (body.kind) {
        case Body::Kind::None:
            return "none";
        case Body::Kind::Length:
            return fmt::format("length {}", body.length);
        case Body::Kind::Chunked:
            return "chunked";
        case Body::Kind::UntilClose:
            return "until close";
    }
    return {};
}

std::string read_request(std::string_view head) {
    const auto parsed = parse_request(head);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        return std::string(name_of(*fault));
    }
    const auto& request = std::get<RequestHead>(parsed);
    return fmt::format("{} {} {}{}{}", request.method, request.target, body_of(request.body),
                       request.keeps_alive ? "" : " close",
                       request.upgrade == Protocol::WebSocket ? " websocket"
                       : request.upgrade == Protocol::Spdy    ? " spdy"
                                                              : "");
}

struct Row {
    std::string fields, want;
    std::string line = "GET /api HTTP/1.1";
};

TEST(Head, ReadsRequests) {
    const std::vector<Row> rows = {
        {"", "GET /api none"},
        {"Content-Length: 0\r\n", "GET /api none"},
        {"Content-Length: 12\r\n", "POST /api length 12", "POST /api HTTP/1.1"},
        {"transfer-encoding: Chunked\r\n", "PUT /x?y=%2F chunked", "PUT /x?y=%2F HTTP/1.1"},
        {"Connection: close\r\n", "GET /api none close"},
        {"Connection: keep-alive, X-Mine\r\n", "GET /api none"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\n", "GET /api none websocket"},
        {"Connection: upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n", "POST /api none spdy",
         "POST /api HTTP/1.1"},
        {"Upgrade: websocket\r\n", "GET /api none"},
        {"Connection: Upgrade\r\n", "GET /api none"},
        {"Expect: 100-continue\r\nContent-Length: 1\r\n", "PUT /api length 1", "PUT /api HTTP/1.1"},
        {"X-Empty:\r\nX-Latin: \xE9\r\nX-Tab:\ta\tb \r\n", "GET /api none"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.fields);
        EXPECT_EQ(read_request(row.line + "\r\nHost: a:443\r\n" + row.fields + "\r\n"), row.want);
    }
}

TEST(Head, RefusesWhatCouldBeReadDifferently) {
    const std::vector<Row> rows = {
        // Fields that frame the message.
        {"Content-Length: 1\r\nContent-Length: 1\r\n", "content_length"},
        {"Content-Length: 1, 1\r\n", "content_length"},
        {"Content-Length: +1\r\n", "content_length"},
        {"Content-Length: 0x1\r\n", "content_length"},
        {"Content-Length: 1 1\r\n", "content_length"},
        {"Content-Length:\r\n", "content_length"},
        {"Content-Length: -1\r\n", "content_length"},
        {"Content-Length: 9999999999999999999\r\n", "content_length"},
        {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "two_lengths"},
        {"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "two_lengths"},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "transfer_encoding"},
        {"Transfer-Encoding: gzip, chunked\r\n", "transfer_encoding"},
        {"Transfer-Encoding: chunked, identity\r\n", "transfer_encoding"},
        {"Transfer-Encoding: identity\r\n", "transfer_encoding"},
        {"Transfer-Encoding: \"chunked\"\r\n", "transfer_encoding"},
        {"Transfer-Encoding: chunked;a=b\r\n", "transfer_encoding"},
        {"Transfer-Encoding:\r\n", "transfer_encoding"},
        {"Transfer-Encoding: xchunked\r\n", "transfer_encoding"},
        // Lines and names.
        {"Content-Length : 1\r\n", "field_name"},
        {" Content-Length: 1\r\n", "folded_line"},
        {"X: a\r\n b\r\n", "folded_line"},
        {"X: a\r\n\tTransfer-Encoding: chunked\r\n", "folded_line"},
        {"X: a\nY: b\r\n", "bare_line_end"},
        {"X: a\rY: b\r\n", "bare_line_end"},
        {"X: a\r\r\n", "bare_line_end"},
        {"X: a\0b\r\n"s, "field_value"},
        {"X: a\x7F\r\n", "field_value"},
        {"X: a\x0B\r\n", "field_value"},
        {"X\0: a\r\n"s, "field_name"},
        {"Im\xC3\xA9: a\r\n", "field_name"},
        {"No colon\r\n", "field_name"},
        {": a\r\n", "field_name"},
        {"(X): a\r\n", "field_name"},
        {"X\t: a\r\n", "field_name"},
        // Host.
        {"Host: a\r\n", "host"},
        {"hOST: b\r\n", "host"},
        // Connection.
        {"Connection: Authorization\r\n", "connection"},
        {"Connection: close, Host\r\n", "connection"},
        {"Connection: Content-Length\r\n", "connection"},
        {"Connection: impersonate-user\r\n", "connection"},
        {"Connection: Transfer-Encoding\r\n", "connection"},
        {"Connection: transfer_encoding\r\n", "connection"},
        {"Connection: Upgrade, Sec-WebSocket-Protocol\r\nUpgrade: websocket\r\n", "connection"},
        {"Connection: Upgrade, sec_websocket_key\r\nUpgrade: websocket\r\n", "connection"},
        {"Connection: Upgrade, X-Stream-Protocol-Version\r\nUpgrade: SPDY/3.1\r\n", "connection"},
        {"Connection: X-Forwarded-For\r\n", "connection"},
        {"Connection: a b\r\n", "connection"},
        {"Connection:\r\n", "connection"},
        {"Connection: ,close\r\n", "connection"},
        // Upgrade.
        {"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n", "upgrade"},
        {"Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n", "upgrade"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n", "upgrade"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n", "upgrade"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n", "upgrade"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\n", "upgrade", "POST /api HTTP/1.1"},
        {"Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n", "upgrade", "PUT /api HTTP/1.1"},
        {"Connection: Upgrade\r\nUpgrade:\r\n", "upgrade"},
        // The rest.
        {"Expect: 200-ok\r\n", "expectation"},
        {"Expect: 100-continue\r\nExpect: 100-continue\r\n", "expectation"},
        {"Trailer: Impersonate-User\r\n", "trailer"},
        {"", "version", "GET /api HTTP/1.0"},
        {"", "version", "GET /api HTTP/1.2"},
        {"", "version", "GET /api HTTP/2.0"},
        {"", "version", "GET /api http/1.1"},
        {"", "version", "GET /api HTTP/1.1 "},
        {"", "version", "GET /api HTTP/01.1"},
        {"", "request_line", "GET /api"},
        {"", "request_line", "GET"},
        {"", "request_line", " GET /api HTTP/1.1"},
        {"", "request_line", "G\x01T /api HTTP/1.1"},
        {"", "method", "CONNECT /api HTTP/1.1"},
        {"", "method", "TRACE /api HTTP/1.1"},
        {"", "method", "get /api HTTP/1.1"},
        {"", "method", "PRI /api HTTP/1.1"},
        {"", "target", "GET http://other/api HTTP/1.1"},
        {"", "target", "GET api HTTP/1.1"},
        {"", "target", "OPTIONS * HTTP/1.1"},
        {"", "target", "GET /a b HTTP/1.1"},
        {"", "target", "GET  /a HTTP/1.1"},
        {"", "target", "GET /a\tb HTTP/1.1"},
        {"", "target", "GET /a#b HTTP/1.1"},
        {"", "target", "GET /\xC3\xA9 HTTP/1.1"},
        {"", "target", "GET /a\0 HTTP/1.1"s},
        {"", "bare_line_end", "GET /api HTTP/1.1\r"},
        {"", "bare_line_end", "\r\nGET /api HTTP/1.1"s.substr(1)},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.line + " | " + row.fields);
        EXPECT_EQ(read_request(row.line + "\r\nHost: a\r\n" + row.fields + "\r\n"), row.want);
    }
}

TEST(Head, WantsOneHost) {
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\n\r\n"), "host");
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost:\r\n\r\n"), "host");
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), "host");
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), "host");
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"), "host");
    EXPECT_EQ(read_request("GET / HTTP/1.1\r\nHost: [fd7a::1]:443\r\n\r\n"), "GET / none");
}

TEST(Head, AnEmptyLineBeforeTheRequestIsNoRequest) {
    EXPECT_EQ(read_request("\r\n"), "request_line");
}

TEST(Head, HasALimitOfFields) {
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (std::size_t i = 1; i < kMostFields; ++i) {
        head += "X: y\r\n";
    }
    EXPECT_EQ(read_request(head + "\r\n"), "GET / none");
    EXPECT_EQ(read_request(head + "X: y\r\n\r\n"), "too_many_fields");
}

TEST(Head, FindsItsEndHoweverItComes) {
    const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
    for (std::size_t seen = 0; seen <= bytes.size() - 6; ++seen) {
        const HeadEnd before = find_head_end(std::string_view(bytes).substr(0, seen));
        EXPECT_EQ(before.size, 0U);
        EXPECT_FALSE(before.fault);
        EXPECT_EQ(find_head_end(bytes, seen).size, bytes.size() - 4);
    }
    EXPECT_EQ(find_head_end("GET / HTTP/1.1\nHost: a\n\n").fault, Fault::BareLineEnd);
    EXPECT_EQ(find_head_end("\n").fault, Fault::BareLineEnd);
    EXPECT_EQ(find_head_end(std::string(kLargestHead - 1, 'a')).fault, std::nullopt);
    EXPECT_EQ(find_head_end(std::string(kLargestHead, 'a')).fault, Fault::HeadTooLarge);
    EXPECT_EQ(find_head_end(std::string(kLargestHead, 'a') + "\r\n\r\n").fault,
              Fault::HeadTooLarge);
}

std::string read_response(std::string_view head, std::string_view method = "GET") {
    const auto parsed = parse_response(head, method);
    if (const Fault* fault = std::get_if<Fault>(&parsed)) {
        return std::string(name_of(*fault));
    }
    const auto& response = std::get<ResponseHead>(parsed);
    return fmt::format("{} {} {}{}", response.status, response.reason, body_of(response.body),
                       response.keeps_alive ? "" : " close");
}

TEST(Head, ReadsResponses) {
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), "200 OK length 3");
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "HEAD"), "200 OK none");
    EXPECT_EQ(read_response("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
              "304 Not Modified none");
    EXPECT_EQ(read_response("HTTP/1.1 204\r\n\r\n"), "204  none");
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
              "200 OK chunked");
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\n\r\n"), "200 OK until close close");
    EXPECT_EQ(read_response("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n"),
              "200 OK length 3 close");
    EXPECT_EQ(read_response("HTTP/1.1 100 Continue\r\n\r\n"), "100 Continue none");
    EXPECT_EQ(read_response("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                            "Upgrade: SPDY/3.1\r\n\r\n"),
              "101 Switching Protocols none");
}

TEST(Head, RefusesResponsesThatAreAmbiguous) {
    EXPECT_EQ(read_response("HTTP/1.1 101 Switching Protocols\r\n\r\n"), "upgrade");
    EXPECT_EQ(read_response("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                            "Upgrade: h2c\r\n\r\n"),
              "upgrade");
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"),
              "content_length");
    EXPECT_EQ(read_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n"),
              "two_lengths");
    EXPECT_EQ(read_response("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
              "transfer_encoding");
    for (const std::string_view line : {"HTTP/2 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000",
                                        "HTTP/1.1 099 X", "HTTP/1.1 600 X", "200 OK", ""}) {
        EXPECT_EQ(read_response(std::string(line) + "\r\n\r\n"), "status_line") << line;
    }
}

TEST(Head, NamesAreOneWhateverTheirSpelling) {
    for (const std::string_view name : {"x-remote-user", "X-Remote-User", "X_REMOTE-user"}) {
        EXPECT_TRUE(is_named(name, "x-remote-user")) << name;
        EXPECT_EQ(normal_name(name), "x-remote-user");
    }
    for (const std::string_view name : {"", "x-remote-use", "x-remote-users", "x.remote-user"}) {
        EXPECT_FALSE(is_named(name, "x-remote-user")) << name;
    }
}

}  // namespace
}  // namespace runtime::api_proxy
