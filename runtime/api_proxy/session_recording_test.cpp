#include "runtime/api_proxy/session_recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "runtime/api_proxy/shared_testing.h"

namespace runtime::api_proxy {
namespace {

constexpr std::string_view kExec = "/api/v1/namespaces/a/pods/b/exec?command=sh&stdout=true";
constexpr std::string_view kWebSocket =
    "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n";
constexpr std::string_view kOtherProtocol =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: other\r\n";
constexpr std::string_view kSpdy = "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n";

class SessionRecordingTest : public testing::Test {
protected:
    // Returns the refusal, or whether the request's session is to be recorded.
    std::string plan(Grants grants, std::string_view target, std::string_view fields) {
        const bool is_web_socket = fields.find("websocket") != std::string_view::npos;
        text = fmt::format("{} {} HTTP/1.1\r\nHost: a\r\n{}\r\n", is_web_socket ? "GET" : "POST",
                           target, fields);
        const auto parsed = parse_request(text);
        const auto* request = std::get_if<RequestHead>(&parsed);
        if (request == nullptr) {
            return "malformed";
        }
        const auto refusal = recording.plan(
            *request,
            std::make_shared<const Caller>(Caller{.user = "u", .grants = std::move(grants)}));
        return refusal                  ? fmt::format("{} {}", refusal->code, refusal->message)
               : recording.is_planned() ? "recorded"
                                        : "not recorded";
    }
    void note(std::string_view event) { events.emplace_back(event); }

    SharedForTest world;
    std::string text;
    std::vector<std::string> events;
    SessionRecording recording{
        world.shared,
        {.started = [this](bool is_accepted) { note(is_accepted ? "accepted" : "not accepted"); },
         .stopped = [this] { note("stopped"); },
         .moved = [this] { note("moved"); }}};
};

TEST_F(SessionRecordingTest, IsPlannedForWhatTheGrantNames) {
    const Grants none, some{.recorders = {"100.64.0.3:80"}},
        all{.recorders = {"100.64.0.3:80"}, .enforces_recorder = true};
    EXPECT_EQ(plan(none, kExec, kWebSocket), "not recorded");
    EXPECT_EQ(plan(some, kExec, kWebSocket), "recorded");
    EXPECT_EQ(plan(some, kExec, kSpdy), "recorded");
    EXPECT_EQ(plan(some, kExec, kOtherProtocol), "not recorded");
    EXPECT_EQ(plan(some, kExec, ""), "not recorded");
    EXPECT_EQ(plan(all, kExec, kWebSocket), "recorded");
    EXPECT_EQ(plan(all, "/api/v1/pods", ""), "not recorded");
}

TEST_F(SessionRecordingTest, WhatMustBeRecordedAndCannotBeIsRefused) {
    const Grants all{.recorders = {"100.64.0.3:80"}, .enforces_recorder = true};
    const auto refused = [](std::string_view why) {
        return fmt::format(
            "403 your grant of \"tailscale.com/cap/kubernetes\" requires this to be recorded "
            "(enforceRecorder): {}",
            why);
    };
    EXPECT_EQ(plan({.enforces_recorder = true}, "/api/v1/pods", ""),
              refused("there is no recorder"));
    EXPECT_EQ(plan(all, kExec, kOtherProtocol), refused("it cannot be recorded"));
    EXPECT_EQ(plan(all, "/api/v1/namespaces/a/pods/b/%65xec", kWebSocket),
              refused("it cannot be recorded"));
    const char* proxied = "/api/v1/nodes/a/proxy/run";
    EXPECT_EQ(plan(all, proxied, ""),
              refused("it cannot be recorded, and no setting of the proxy allows \"nodes/proxy\""));
    world.shared.unrecorded = {"nodes/proxy"};
    EXPECT_EQ(plan(all, proxied, ""), "not recorded");
}

TEST_F(SessionRecordingTest, WithoutARecorderNothingIsRecorded) {
    EXPECT_EQ(plan({.recorders = {"100.64.0.3:80"}}, kExec, kWebSocket), "recorded");
    recording.start();
    EXPECT_TRUE(recording.has_recorder());
    EXPECT_TRUE(events.empty()) << "not inside the call";
    world.loop.run_for(Duration(1));
    EXPECT_EQ(events, std::vector<std::string>{"not accepted"});
    EXPECT_FALSE(recording.has_recorder());
    EXPECT_FALSE(recording.is_behind());
    EXPECT_TRUE(recording.record("bytes", true));
    EXPECT_EQ(recording.recorded(), "no");
    EXPECT_EQ(world.shared.counters.recordings, 1U);
    EXPECT_EQ(world.shared.counters.recordings_failed, 1U);
    recording.finish();
    EXPECT_TRUE(world.shared.uploads.empty());
}

TEST_F(SessionRecordingTest, ARecordingThatIsAbandonedTellsNothingMore) {
    EXPECT_EQ(plan({.recorders = {"100.64.0.3:80"}}, kExec, kWebSocket), "recorded");
    recording.start();
    recording.abandon();
    world.loop.run_for(std::chrono::seconds(60));
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(world.shared.counters.recordings_failed, 0U);
}

}  // namespace
}  // namespace runtime::api_proxy
