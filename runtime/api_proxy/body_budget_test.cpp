#include "runtime/api_proxy/body_budget.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/testing/fake_loop.h"

namespace runtime::api_proxy {
namespace {

class BodyBudgetTest : public testing::Test {
protected:
    std::unique_ptr<BodyBudget::Place> ask(const std::string& caller, std::size_t bytes) {
        return budget.ask(caller, bytes, [this, caller] { granted.push_back(caller); });
    }
    std::vector<std::string> run() {
        loop.run_for({});
        return std::exchange(granted, {});
    }

    using Names = std::vector<std::string>;
    FakeLoop loop;
    std::vector<std::string> granted;
    BodyBudget budget{loop, {.all = 10, .of_one = 4}};
};

TEST_F(BodyBudgetTest, OneCallersBodiesKeepNoOneElseBack) {
    std::vector<std::unique_ptr<BodyBudget::Place>> held;
    held.reserve(17);
    for (int i = 0; i < 17; ++i) {
        held.push_back(ask("greedy", 2));
    }
    EXPECT_EQ(run(), Names({"greedy", "greedy"}));
    auto other = ask("other", 4);
    EXPECT_EQ(run(), Names{"other"});
    held.front().reset();
    EXPECT_EQ(run(), Names{"greedy"}) << "who waits has a turn";
}

TEST_F(BodyBudgetTest, WhoFindsNoRoomWaitsAndIsNotOvertaken) {
    auto a = ask("a", 4);
    auto b = ask("b", 4);
    auto c = ask("c", 4);
    auto d = ask("d", 1);
    EXPECT_EQ(run(), Names({"a", "b"}));
    EXPECT_FALSE(c->has_room());
    a.reset();
    EXPECT_EQ(run(), Names({"c", "d"}));
    EXPECT_TRUE(d->has_room());
}

TEST_F(BodyBudgetTest, WhoGivesUpIsForgotten) {
    auto a = ask("a", 4);
    auto b = ask("b", 4);
    auto c = ask("c", 4);
    auto d = ask("d", 4);
    EXPECT_EQ(run(), Names({"a", "b"}));
    c.reset();
    a.reset();
    EXPECT_EQ(run(), Names{"d"});
    b.reset();
    d.reset();
    auto all = ask("a", 100);  // as much as one caller may have
    EXPECT_EQ(run(), Names{"a"});
}

}  // namespace
}  // namespace runtime::api_proxy
