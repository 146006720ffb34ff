#include "runtime/api_proxy/caller_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/api_proxy/shared_testing.h"

namespace runtime::api_proxy {
namespace {

using std::chrono::seconds;

class CallerCheckTest : public testing::Test {
protected:
    CallerCheckTest() { world.shared.places = Places(1); }
    std::unique_ptr<CallerCheck> check_of(std::string_view source, bool is_over_limit = false) {
        auto out = std::make_unique<CallerCheck>(world.shared, is_over_limit,
                                                 [this] { ++changes_of_user; });
        out->begin(AddressPort::parse(source).value());
        return out;
    }
    static CallerAnswer answer_for(const std::string& user, std::vector<std::string> groups = {}) {
        return {.caller = std::make_shared<const Caller>(
                    Caller{.user = user, .groups = std::move(groups)}),
                .is_known = true};
    }
    static std::string accept(CallerCheck& check, const CallerAnswer& answer) {
        const auto refusal = check.accept(answer);
        return refusal ? fmt::format("{} {}", refusal->code, refusal->message) : "accepted";
    }

    SharedForTest world;
    int changes_of_user = 0;
};

TEST_F(CallerCheckTest, CountsTheAddressUntilTheUserIsKnown) {
    auto first = check_of("100.64.0.7:1");
    EXPECT_EQ(first->source(), "100.64.0.7");
    EXPECT_FALSE(first->is_over_limit());
    EXPECT_TRUE(check_of("100.64.0.7:2")->is_over_limit());
    EXPECT_FALSE(first->has_user());
    EXPECT_TRUE(first->welcome(answer_for("a")));
    EXPECT_TRUE(first->has_user());
    EXPECT_FALSE(check_of("100.64.0.7:3")->is_over_limit()) << "it counts for the user now";
    auto other = check_of("100.64.0.8:1");
    EXPECT_FALSE(other->welcome(answer_for("a")));
    EXPECT_TRUE(other->is_over_limit());
    first->leave();
    EXPECT_TRUE(check_of("100.64.0.9:1")->welcome(answer_for("a")));
}

TEST_F(CallerCheckTest, PassesToAnotherUser) {
    auto check = check_of("100.64.0.7:1");
    EXPECT_EQ(accept(*check, answer_for("a")), "accepted");
    EXPECT_EQ(accept(*check, answer_for("a")), "accepted");
    EXPECT_EQ(changes_of_user, 1);
    EXPECT_EQ(accept(*check, answer_for("b")), "accepted");
    EXPECT_EQ(changes_of_user, 2);
    EXPECT_EQ(check->caller()->user, "b");
    EXPECT_EQ(accept(*check_of("100.64.0.8:1"), answer_for("a")), "accepted")
        << "its place is free";
    check->forget();
    EXPECT_EQ(check->caller(), nullptr);
}

TEST_F(CallerCheckTest, RefusesWhomItCannotNameOrCount) {
    auto check = check_of("100.64.0.7:1");
    EXPECT_EQ(accept(*check, {.problem = "away"}), "500 failed to authenticate the caller: away");
    EXPECT_EQ(accept(*check, {.is_known = true, .problem = "no device"}),
              "403 failed to authenticate the caller: no device");
    EXPECT_EQ(check->caller(), nullptr);
    EXPECT_EQ(accept(*check_of("100.64.0.8:1", true), answer_for("a")),
              "429 too many connections; try again later");
    const Counters& counters = world.shared.counters;
    EXPECT_EQ(counters.unknown, 1U);
    EXPECT_EQ(counters.denied, 1U);
    EXPECT_EQ(counters.crowded, 1U);
    EXPECT_EQ(changes_of_user, 0);
}

TEST_F(CallerCheckTest, ASilentConnectionOfNoOneIsOverTheLimit) {
    EXPECT_TRUE(check_of("100.64.0.7:1")->welcome({.problem = "away"}));
    EXPECT_FALSE(check_of("100.64.0.7:1")->welcome({.is_known = true, .problem = "no device"}));
}

TEST_F(CallerCheckTest, ACallerIsConfirmedEveryTwentySeconds) {
    auto check = check_of("100.64.0.7:1");
    EXPECT_EQ(accept(*check, answer_for("a", {"g"})), "accepted");
    world.loop.run_for(seconds(14));
    EXPECT_FALSE(check->is_confirmation_due()) << "the answer may have been 5 seconds old";
    world.loop.run_for(seconds(1));
    EXPECT_TRUE(check->is_confirmation_due());
    EXPECT_TRUE(check->may_go_on(answer_for("a", {"g", "h"})));
    EXPECT_FALSE(check->is_confirmation_due());
    EXPECT_FALSE(check->may_go_on(answer_for("a"))) << "a group was removed";
    EXPECT_FALSE(check->may_go_on({.is_known = true, .problem = "no device"}));
    EXPECT_TRUE(check->may_go_on({.problem = "away"}));
    world.loop.run_for(seconds(40));
    EXPECT_FALSE(check->may_go_on({.problem = "away"})) << "for 45 seconds";
}

TEST_F(CallerCheckTest, AsksOnceAtATimeAndNoLongerThanItLives) {
    auto check = check_of("100.64.0.7:1");
    EXPECT_EQ(accept(*check, answer_for("n")), "accepted");
    world.loop.run_for(seconds(20));
    int answers = 0;
    check->confirm([&](const CallerAnswer& answer) { answers += answer.is_known ? 1 : 0; });
    EXPECT_FALSE(check->is_confirmation_due()) << "it is asked";
    world.loop.run_for(Duration(1));
    EXPECT_EQ(answers, 1);
    EXPECT_TRUE(check->is_confirmation_due());
    EXPECT_EQ(check->known()->caller->user, "n");
    world.loop.run_for(seconds(10));
    check->ask([&](const CallerAnswer&) { ++answers; });
    check = nullptr;
    world.loop.run_for(seconds(1));
    EXPECT_EQ(answers, 1);
}

}  // namespace
}  // namespace runtime::api_proxy
