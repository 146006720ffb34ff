#include "runtime/api_proxy/event_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "runtime/testing/fake_loop.h"

namespace runtime::api_proxy {
namespace {

// The request is valid as long as `text`.
RequestHead request_in(std::string_view text) {
    auto parsed = parse_request(text);
    auto* request = std::get_if<RequestHead>(&parsed);
    EXPECT_NE(request, nullptr) << text;
    return request == nullptr ? RequestHead() : *request;
}

TEST(EventPlan, SaysWhatBelongsToTheEvent) {
    struct Case {
        const char* line;
        const char* fields;
        const char* want;
    };
    const Case cases[] = {
        {"GET /api/v1/pods", "", "no body"},
        {"POST /api/v1/namespaces/a/pods", "Content-Length: 2\r\n", "body"},
        {"POST /api/v1/namespaces/a/pods", "Transfer-Encoding: chunked\r\n", "body"},
        {"POST /api/v1/namespaces/a/pods", "Content-Length: 4194304\r\n", "body"},
        {"POST /api/v1/namespaces/a/pods", "Content-Length: 4194305\r\n",
         "its body is larger than 4 MiB"},
        {"POST /api/v1/namespaces/a/secrets", "Content-Length: 4194305\r\n", "no body"},
        {"GET /api/v1/%zz", "", "its path cannot be read"},
    };
    for (const Case& one : cases) {
        const std::string text =
            fmt::format("{} HTTP/1.1\r\nHost: a\r\n{}\r\n", one.line, one.fields);
        const EventReport::Plan plan = EventReport::plan(request_in(text));
        EXPECT_EQ(!plan.problem.empty() ? plan.problem
                  : plan.has_body       ? "body"
                                        : "no body",
                  one.want)
            << text;
    }
}

class EventReportTest : public testing::Test {
protected:
    void wait_for_room(const Body& body) {
        report.wait_for_room("u", body, [this] { is_granted = true; });
    }
    std::string collect(std::string_view bytes) {
        const EventReport::Collected collected = report.collect(bytes);
        return collected.fault          ? std::string(name_of(*collected.fault))
               : collected.is_too_large ? "too large"
               : collected.is_whole     ? "whole"
                                        : "more";
    }

    FakeLoop loop;
    BodyBudget bodies{loop};
    std::string socket = "/nonexistent/tailscaled.sock";
    bool is_granted = false;
    EventReport report{loop, bodies, socket};
};

TEST_F(EventReportTest, CopiesABodyOnceThereIsRoom) {
    wait_for_room({.kind = Body::Kind::Length, .length = 5});
    EXPECT_FALSE(is_granted);
    EXPECT_FALSE(report.has_room());
    EXPECT_EQ(collect("hello"), "more") << "there is no room yet";
    loop.run_for({});
    EXPECT_TRUE(is_granted);
    EXPECT_TRUE(report.has_room());
    EXPECT_EQ(collect("he"), "more");
    EXPECT_EQ(collect("hello, next"), "whole");
}

TEST_F(EventReportTest, ABodyWithChunksIsCheckedAndLimited) {
    wait_for_room({.kind = Body::Kind::Chunked});
    loop.run_for({});
    EXPECT_EQ(collect("400000\r\n"), "more");
    EXPECT_EQ(collect("400000\r\n" + std::string(std::size_t{4} << 20U, 'x')), "too large");
    report.end();
    wait_for_room({.kind = Body::Kind::Chunked});
    loop.run_for({});
    EXPECT_EQ(collect("z"), "chunk");
}

TEST_F(EventReportTest, GivesTheRoomBack) {
    const Body most{.kind = Body::Kind::Length, .length = std::size_t{16} << 20U};
    wait_for_room(most);
    loop.run_for({});
    EventReport other(loop, bodies, socket);
    other.wait_for_room("u", most, [] {});
    loop.run_for({});
    EXPECT_FALSE(other.has_room());
    report.end();
    loop.run_for({});
    EXPECT_TRUE(other.has_room());
}

TEST_F(EventReportTest, TellsWhyNoRecorderHasIt) {
    const std::string text = "GET /api/v1/pods HTTP/1.1\r\nHost: a\r\n\r\n";
    const Caller caller{.user = "u", .grants = {.recorders = {"100.64.0.3:80"}}};
    std::vector<std::string> told;
    const auto done = [&](const std::string& problem, const std::string&) {
        told.push_back(problem);
    };
    report.send(request_in(text), caller, done);
    EXPECT_TRUE(told.empty()) << "not inside the call";
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(told, std::vector<std::string>{"recorder 100.64.0.3:80: tailscaled is not there"});
    EXPECT_EQ(report.told(), "no");
    report.send(request_in(text), caller, done);
    report.end();
    loop.run_for(std::chrono::seconds(60));
    EXPECT_EQ(told.size(), 1U) << "it was ended";
}

}  // namespace
}  // namespace runtime::api_proxy
