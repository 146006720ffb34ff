#include "runtime/api_proxy/response.h"

#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

// Returns what of the bytes is the head, and whether it is whole or malformed.
std::string take(Response& response, std::string_view bytes, std::string_view method = "GET") {
    const Response::Taken taken = response.take_head(bytes, method);
    return std::string(bytes.substr(0, taken.size))
        .append(taken.fault      ? " is malformed"
                : taken.is_whole ? " is whole"
                                 : " begins");
}

TEST(Response, TakesAHeadInPieces) {
    Response response;
    EXPECT_FALSE(response.is_expected());
    response.expect();
    EXPECT_FALSE(response.has_begun());
    EXPECT_EQ(take(response, "HTTP/1.1 200 OK\r\nContent-Le"),
              "HTTP/1.1 200 OK\r\nContent-Le begins");
    EXPECT_TRUE(response.has_begun());
    EXPECT_EQ(take(response, "ngth: 2\r\n\r\nhi"), "ngth: 2\r\n\r\n is whole");
    EXPECT_EQ(response.head().status, 200);
    EXPECT_EQ(response.head().fields.at(0).name, "Content-Length");
    response.forget_texts();
    EXPECT_TRUE(response.head().fields.empty());
    EXPECT_EQ(response.head().body.length, 2U);

    response.begin_body("for the client");
    EXPECT_TRUE(response.has_body());
    EXPECT_TRUE(response.holds_head());
    EXPECT_EQ(response.take_held(), "for the client");
    EXPECT_FALSE(response.holds_head());
    EXPECT_EQ(response.take_body("hi, more").size, 2U);
    EXPECT_TRUE(response.is_whole());
}

TEST(Response, TakesTheFinalHeadAfterAnInterimOne) {
    Response response;
    response.expect();
    EXPECT_EQ(take(response, "HTTP/1.1 100 Continue\r\n\r\nHTTP"),
              "HTTP/1.1 100 Continue\r\n\r\n is whole");
    response.forget_texts();
    EXPECT_FALSE(response.has_begun());
    EXPECT_TRUE(response.head().keeps_alive) << "more follows an interim response";
    EXPECT_EQ(take(response, "HTTP/1.1 204 No Content\r\n\r\n"),
              "HTTP/1.1 204 No Content\r\n\r\n is whole");
    EXPECT_TRUE(response.head().keeps_alive);
}

TEST(Response, BytesAfterAResponseWithoutABodyEndTheConnection) {
    Response response;
    response.expect();
    EXPECT_EQ(take(response, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HEAD"),
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n is whole");
    EXPECT_FALSE(response.head().keeps_alive);
}

TEST(Response, AMalformedHeadTakesAllBytes) {
    Response response;
    response.expect();
    EXPECT_EQ(take(response, "HTTP/1.1 200 OK\r\nA : b\r\n\r\nx"),
              "HTTP/1.1 200 OK\r\nA : b\r\n\r\nx is malformed");
    EXPECT_EQ(take(response, "HTTP/1.1 200 OK\nx"), "HTTP/1.1 200 OK\nx is malformed");
}

TEST(Response, WithoutALengthTheBodyEndsWithTheConnection) {
    Response response;
    response.expect();
    EXPECT_EQ(take(response, "HTTP/1.1 200 OK\r\n\r\n"), "HTTP/1.1 200 OK\r\n\r\n is whole");
    response.begin_body("");
    EXPECT_TRUE(response.ends_with_connection());
    EXPECT_EQ(response.take_body("all of it").size, 9U);
    EXPECT_FALSE(response.is_whole());
    response.end();
    EXPECT_FALSE(response.is_expected());
}

}  // namespace
}  // namespace runtime::api_proxy
