#include "runtime/proxy/certificates.h"

#include <gtest/gtest.h>

#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::proxy {
namespace {

class CertificatesTest : public testing::Test {
protected:
    FakeLoop loop;
    HttpReply reply{.status = 200};
    ScriptedTransport transport{loop, [this](const HttpRequest&) { return reply; }};
    localapi::LocalApi api{transport};
    Log log{Log::Form::Text, LogLevel::Error};
    Certificates certificates{loop, api, log};
};

TEST_F(CertificatesTest, AreAskedForOnceTheTailnetGivesThem) {
    certificates.keep({"a.t.ts.net", "b.t.ts.net"});
    loop.run_for(std::chrono::hours(1));
    EXPECT_TRUE(transport.asked.empty());
    certificates.allow({"b.t.ts.net", "me.t.ts.net"});
    loop.run_for(std::chrono::hours(1));
    EXPECT_EQ(transport.asked,
              std::vector<std::string>{"GET http://local-tailscaled.sock/localapi/v0/cert/"
                                       "b.t.ts.net?type=pair&min_validity=0s"});
}

TEST_F(CertificatesTest, AreCheckedEveryDayWhileTheyAreWanted) {
    certificates.allow({"a.t.ts.net"});
    certificates.keep({"a.t.ts.net"});
    loop.run_for(std::chrono::hours(23));
    EXPECT_EQ(transport.asked.size(), 1U);
    certificates.keep({"a.t.ts.net"});
    loop.run_for(std::chrono::hours(2));
    EXPECT_EQ(transport.asked.size(), 2U);
    certificates.keep({});
    loop.run_for(std::chrono::hours(48));
    EXPECT_EQ(transport.asked.size(), 2U);
}

TEST_F(CertificatesTest, AreOrderedAgainAfterFailuresAsTheAuthorityAsksFor) {
    reply = {.status = 500, .body = "rate limited"};
    certificates.allow({"a.t.ts.net"});
    certificates.keep({"a.t.ts.net"});
    const auto after = [&](Duration duration) {
        loop.run_for(duration);
        return transport.asked.size();
    };
    EXPECT_EQ(after(std::chrono::seconds(59)), 1U);
    EXPECT_EQ(after(std::chrono::seconds(2)), 2U);
    EXPECT_EQ(after(std::chrono::minutes(10)), 3U);
    EXPECT_EQ(after(std::chrono::minutes(100)), 4U);
    EXPECT_EQ(after(std::chrono::hours(23)), 4U);
    reply.retry_after = std::chrono::seconds(30);
    EXPECT_EQ(after(std::chrono::hours(1)), 5U);
    EXPECT_EQ(after(std::chrono::minutes(5)), 15U);
}

TEST_F(CertificatesTest, AreNotCountedAsFailedWhenNoOneWasAsked) {
    reply = {.status = 0, .problem = "timed out"};
    certificates.allow({"a.t.ts.net"});
    certificates.keep({"a.t.ts.net"});
    loop.run_for(std::chrono::minutes(10) + std::chrono::seconds(1));
    EXPECT_EQ(transport.asked.size(), 11U);
}

TEST(CertificateRetry, GrowsToADay) {
    EXPECT_EQ(certificate_retry(1), std::chrono::minutes(1));
    EXPECT_EQ(certificate_retry(3), std::chrono::minutes(100));
    EXPECT_EQ(certificate_retry(1000), std::chrono::hours(24));
}

}  // namespace
}  // namespace runtime::proxy
