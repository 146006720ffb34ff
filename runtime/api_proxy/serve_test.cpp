#include "runtime/api_proxy/serve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "renderer/core/json.h"
#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::api_proxy {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kConfig =
    R"({"TCP":{"443":{"TCPForward":"127.0.0.1:8443","TerminateTLS":"box.t.ts.net","ProxyProtocol":2}}})";

class ApiServeTest : public testing::Test {
protected:
    HttpReply answer(const HttpRequest& request) {
        if (request.url.find("/status") != std::string::npos) {
            return {.status = 200, .body = status};
        }
        if (request.url.ends_with("/prefs")) {
            return {.status = 200, .body = prefs};
        }
        if (request.url.ends_with("/reload-config")) {
            ++reloads;
            if (on_reload != nullptr) {
                on_reload();
            }
            return {.status = reload_status, .body = R"({"Reloaded":true})"};
        }
        if (request.method == "GET") {
            return {.status = 200, .body = config, .headers = {"etag: e1"}};
        }
        written.push_back(request.headers.back() + " " + request.body);
        if (write_status == 200) {
            config = request.body;
        }
        return {.status = write_status, .body = "no"};
    }
    std::string problem_after(Duration time) {
        loop.run_for(time);
        return serve.problem();
    }

    std::string status = R"({"BackendState":"Running","CertDomains":["box.t.ts.net"]})";
    std::string config = "null";
    std::string prefs = R"({"AdvertiseServices":["svc:kube"]})";
    int write_status = 200, reload_status = 200;
    int reloads = 0, misled = 0;
    std::function<void()> on_reload;
    uid_t owner = 1000;
    std::string away;  // why its socket cannot be reached
    std::vector<std::string> written;
    FakeLoop loop;
    Log log{Log::Form::Json, LogLevel::Error};
    ScriptedTransport transport{loop,
                                [this](const HttpRequest& request) { return answer(request); }};
    localapi::LocalApi api{transport};
    Serve serve{loop,
                log,
                api,
                [this]() -> renderer::Result<uid_t> {
                    if (!away.empty()) {
                        return renderer::Error{{.message = away}};
                    }
                    return owner;
                },
                AddressPort::parse("127.0.0.1:8443").value(),
                "",
                [this] { ++misled; }};
};

// For a group: the program that starts tailscaled writes its Serve configuration.
class ApiServiceTest : public ApiServeTest {
protected:
    void run_led() {
        config = kLed;
        of_service.start();
        loop.run_for(seconds(1));
    }
    std::string problem_with(std::string_view text) {
        config = text;
        loop.run_for(minutes(1));
        return of_service.problem();
    }

    static constexpr std::string_view kLed =
        R"({"Services":{"svc:kube":{"TCP":{"443":{"TCPForward":"127.0.0.1:8443","TerminateTLS":"kube.t.ts.net","ProxyProtocol":2}}}}})";
    static constexpr std::string_view kNotHere =
        "the Serve configuration of tailscaled must forward port 443 of svc:kube to this proxy, "
        "and nothing else";
    Serve of_service{loop,
                     log,
                     api,
                     [] { return renderer::Result<uid_t>(1000); },
                     AddressPort::parse("127.0.0.1:8443").value(),
                     "svc:kube",
                     [this] { ++misled; }};
};

TEST_F(ApiServiceTest, LooksForItsServiceAndWritesNothing) {
    status = R"({"BackendState":"Running"})";
    run_led();
    EXPECT_EQ(of_service.problem(), "");
    EXPECT_EQ(of_service.tailscaled(), uid_t{1000});
    EXPECT_TRUE(written.empty());
}

TEST_F(ApiServiceTest, LeavesWhatIsAdvertised) {
    run_led();
    loop.run_for(minutes(3));
    EXPECT_EQ(reloads, 0);
}

TEST_F(ApiServiceTest, IsAdvertisedAgainAfterAnEarlierProcessTookItBack) {
    prefs = R"({"AdvertiseServices":null})";
    run_led();
    EXPECT_EQ(reloads, 1);
    loop.run_for(minutes(3));
    EXPECT_EQ(reloads, 1) << "its configuration says whether it is to be advertised";
}

TEST_F(ApiServiceTest, AsksAgainUntilTailscaledTakesItsConfiguration) {
    prefs = R"({"AdvertiseServices":["svc:other"]})";
    reload_status = 500;
    run_led();
    EXPECT_EQ(of_service.problem(), "") << "who comes is served";
    const int in_vain = reloads;
    EXPECT_GT(in_vain, 0);
    reload_status = 200;
    loop.run_for(seconds(3));
    EXPECT_EQ(reloads, in_vain + 1);
    loop.run_for(minutes(5));
    EXPECT_EQ(reloads, in_vain + 1);
}

TEST_F(ApiServiceTest, AsksAgainUntilTailscaledSaysWhatItAdvertises) {
    prefs = "no";
    run_led();
    EXPECT_EQ(of_service.problem(), "");
    prefs = "{}";
    loop.run_for(seconds(3));
    EXPECT_EQ(reloads, 1);
}

TEST_F(ApiServiceTest, EndsOnceItAdvertisesNothingAnyMore) {
    std::vector<int> reloads_at_end;
    prefs = "{}";
    on_reload = [&] {
        of_service.end([&] { reloads_at_end.push_back(reloads); });
        EXPECT_TRUE(reloads_at_end.empty()) << "while tailscaled reads its configuration";
    };
    run_led();
    EXPECT_EQ(reloads_at_end, std::vector<int>{1});
    loop.run_for(minutes(3));
    EXPECT_EQ(reloads, 1);
}

TEST_F(ApiServiceTest, AdvertisesNothingWhileItDoesNotServeOrEnds) {
    prefs = "{}";
    of_service.start();
    loop.run_for(minutes(1));
    EXPECT_EQ(reloads, 0);
    bool is_over = false;
    of_service.end([&] { is_over = true; });
    EXPECT_TRUE(is_over);
    EXPECT_EQ(problem_with(kLed), "");
    loop.run_for(minutes(3));
    EXPECT_EQ(reloads, 0);
}

TEST_F(ApiServiceTest, NoOneCountsAsTailscaledWhileItLeadsHereInAnotherWay) {
    const std::string led(kLed.substr(1, kLed.size() - 2));
    for (const std::string& wrong :
         {std::string(R"({"TCP":{"443":{"TCPForward":"127.0.0.1:8443"}}})"),
          fmt::format(R"({{{},"TCP":{{"8443":{{"TCPForward":"127.0.0.1:8443"}}}}}})", led),
          fmt::format(R"({{{},"Foreground":{{}}}})", led),
          fmt::format(R"({{{},"svc:b":{{}}}}}})", led.substr(0, led.size() - 1)),
          fmt::format(R"({{{},"80":{{"HTTP":true}}}}}}}}}})", led.substr(0, led.size() - 3))}) {
        SCOPED_TRACE(wrong);
        config = kLed;
        of_service.start();
        loop.run_for(seconds(1));
        EXPECT_EQ(of_service.tailscaled(), uid_t{1000});
        const int before = misled;
        EXPECT_EQ(problem_with(wrong), kNotHere);
        EXPECT_EQ(of_service.tailscaled(), std::nullopt);
        EXPECT_GT(misled, before);
    }
}

TEST_F(ApiServiceTest, AcceptsNoOtherWayToIt) {
    of_service.start();
    EXPECT_EQ(problem_with("null"), kNotHere);
    EXPECT_EQ(problem_with("{"), kNotHere);
    EXPECT_EQ(problem_with(kConfig), kNotHere) << "by the device's own name";
    for (const char* port :
         {R"("TCPForward":"127.0.0.1:8443","ProxyProtocol":2)",
          R"("TCPForward":"127.0.0.1:8443","TerminateTLS":"k.t.ts.net")",
          R"("TCPForward":"127.0.0.1:8443","TerminateTLS":"k.t.ts.net","ProxyProtocol":1)",
          R"("TCPForward":"127.0.0.1:80","TerminateTLS":"k.t.ts.net","ProxyProtocol":2)",
          R"("HTTPS":true)"}) {
        EXPECT_EQ(problem_with(fmt::format(
                      R"({{"Services":{{"svc:kube":{{"TCP":{{"443":{{{}}}}}}}}}}})", port)),
                  kNotHere)
            << port;
    }
    EXPECT_EQ(
        problem_with(
            R"({"Services":{"svc:other":{"TCP":{"443":{"TCPForward":"127.0.0.1:8443","TerminateTLS":"k.t.ts.net","ProxyProtocol":2}}}}})"),
        kNotHere);
    EXPECT_TRUE(written.empty());
}

TEST_F(ApiServeTest, ForwardsPort443OfTheDevicesName) {
    EXPECT_EQ(serve.problem(), "starting");
    serve.start();
    EXPECT_EQ(problem_after(seconds(1)), "");
    EXPECT_EQ(serve.tailscaled(), uid_t{1000});
    EXPECT_EQ(written, std::vector<std::string>{"If-Match: e1 " + std::string(kConfig)});
    loop.run_for(minutes(5));
    EXPECT_EQ(written.size(), 1U) << "it is so already";
}

TEST_F(ApiServeTest, FollowsTheDevicesNameAndWhatOthersWrite) {
    serve.start();
    loop.run_for(seconds(1));
    status = R"({"BackendState":"Running","CertDomains":["box-1.t.ts.net"]})";
    EXPECT_EQ(problem_after(minutes(1)), "");
    EXPECT_EQ(written.size(), 2U);
    EXPECT_NE(config.find("box-1.t.ts.net"), std::string::npos);
    EXPECT_EQ(misled, 1) << "before it was told the first time";
    config = "{}";
    loop.run_for(minutes(1));
    EXPECT_EQ(written.size(), 3U);
    EXPECT_EQ(misled, 2);
}

TEST_F(ApiServeTest, NoUserIsTailscaledsUntilAForeignConfigurationIsReplaced) {
    serve.start();
    loop.run_for(seconds(1));
    config = R"({"TCP":{"443":{"TCPForward":"127.0.0.1:8443"}}})";
    write_status = 500;
    EXPECT_NE(problem_after(minutes(1)), "");
    EXPECT_EQ(serve.tailscaled(), std::nullopt);
    write_status = 200;
    EXPECT_EQ(problem_after(seconds(2)), "");
    EXPECT_EQ(serve.tailscaled(), uid_t{1000});
}

TEST_F(ApiServeTest, NoOneCountsAsTailscaledWhileItIsAway) {
    away = "cannot reach tailscaled";
    serve.start();
    EXPECT_EQ(problem_after(seconds(1)), "cannot reach tailscaled");
    EXPECT_EQ(serve.tailscaled(), std::nullopt);
    away.clear();
    EXPECT_EQ(problem_after(seconds(5)), "");
    EXPECT_EQ(serve.tailscaled(), uid_t{1000});
}

TEST_F(ApiServeTest, RefusesATailscaledOfRoot) {
    owner = 0;
    serve.start();
    EXPECT_EQ(problem_after(seconds(1)),
              "tailscaled runs as root: set another runAsUser, because anyone who may forward "
              "ports into the pod also connects as root");
    EXPECT_TRUE(transport.asked.empty());
}

TEST_F(ApiServeTest, SaysWhyItDoesNotServe) {
    const auto with_status = [this](std::string_view text) {
        status = text;
        return problem_after(seconds(5));
    };
    status = "no";
    serve.start();
    EXPECT_EQ(with_status("no"), "tailscaled's status is not JSON");
    EXPECT_EQ(with_status(R"({"BackendState":"NeedsLogin"})"),
              "tailscaled is not connected: NeedsLogin");
    EXPECT_EQ(with_status(R"({"BackendState":"Running"})"),
              "the tailnet issues no certificates: enable HTTPS for the tailnet");
    write_status = 403;
    EXPECT_EQ(with_status(R"({"BackendState":"Running","CertDomains":["a"]})"),
              "tailscaled rejects the Serve configuration: HTTP status 403: no (OperatorUser in "
              "its configuration must name the user of this process)");
    write_status = 412;
    EXPECT_EQ(problem_after(seconds(5)), "someone else changes tailscaled's Serve configuration");
}

}  // namespace
}  // namespace runtime::api_proxy
