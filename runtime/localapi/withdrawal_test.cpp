#include "runtime/localapi/withdrawal.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/testing/fake_loop.h"
#include "runtime/testing/scripted_transport.h"

namespace runtime::localapi {
namespace {

using std::chrono::seconds;

class WithdrawalTest : public testing::Test {
protected:
    HttpReply answer(const HttpRequest& request) {
        if (request.method == "GET") {
            return {.status = get_status, .body = prefs};
        }
        written.push_back(request.method + " " + request.body);
        if (patch_status == 200) {
            prefs = "{}";
        }
        return {.status = patch_status, .body = "{}"};
    }
    // Returns how many seconds it takes.
    std::optional<long> seconds_until_done(Duration at_most) {
        withdrawal.start(at_most);
        loop.run_for(seconds(60));
        return done_at;
    }

    const std::string advertised = R"({"AdvertiseServices":["svc:a","svc:b"]})";
    std::string prefs = advertised;
    int get_status = 200, patch_status = 200;
    std::vector<std::string> written;
    std::optional<long> done_at;
    int times = 0;
    FakeLoop loop;
    Log log{Log::Form::Json, LogLevel::Error};
    ScriptedTransport transport{loop,
                                [this](const HttpRequest& request) { return answer(request); }};
    LocalApi api{transport};
    Duration begun = loop.uptime();
    Withdrawal withdrawal{
        loop, api, log, [this] {
            ++times;
            done_at = std::chrono::duration_cast<seconds>(loop.uptime() - begun).count();
        }};
};

TEST_F(WithdrawalTest, WaitsUntilClientsAreElsewhere) {
    EXPECT_EQ(seconds_until_done(seconds(25)), 20);
    EXPECT_EQ(written, std::vector<std::string>{
                           R"(PATCH {"AdvertiseServicesSet":true,"AdvertiseServices":null})"});
    EXPECT_EQ(times, 1);
}

// tailscaled reloads its configuration, for example.
TEST_F(WithdrawalTest, TakesBackWhatIsAdvertisedMeanwhile) {
    withdrawal.start(seconds(40));
    loop.run_for(seconds(10));
    prefs = advertised;
    loop.run_for(seconds(2));
    EXPECT_EQ(prefs, "{}");
    loop.run_for(seconds(60));
    EXPECT_EQ(written.size(), 2U);
    EXPECT_TRUE(done_at >= 30 && done_at <= 32) << *done_at;
    EXPECT_EQ(times, 1);
}

TEST_F(WithdrawalTest, WaitsThoughTailscaledEndsMeanwhile) {
    withdrawal.start(seconds(25));
    loop.run_for(seconds(10));
    get_status = 0;
    loop.run_for(seconds(60));
    EXPECT_EQ(done_at, 20);
}

TEST_F(WithdrawalTest, IsDoneAtOnceWhereNothingIsAdvertised) {
    prefs = "{}";
    EXPECT_EQ(seconds_until_done(seconds(25)), 0);
    EXPECT_TRUE(written.empty());
}

TEST_F(WithdrawalTest, WaitsForNothingThatCannotBeHad) {
    patch_status = 403;
    EXPECT_EQ(seconds_until_done(seconds(25)), 0);
    EXPECT_EQ(written.size(), 1U);
}

TEST_F(WithdrawalTest, GoesOnWithoutTailscaled) {
    get_status = 500;
    EXPECT_EQ(seconds_until_done(seconds(25)), 0);
    EXPECT_TRUE(written.empty());
}

TEST_F(WithdrawalTest, EndsWithinItsTime) {
    EXPECT_EQ(seconds_until_done(seconds(7)), 7);
    EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace runtime::localapi
