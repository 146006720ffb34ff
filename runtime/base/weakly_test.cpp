#include "runtime/base/weakly.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

namespace runtime::inline base {
namespace {

TEST(Weakly, CallsNothingOnceTheObjectIsDestroyed) {
    auto numbers = std::make_shared<std::vector<int>>();
    const auto add = weakly(std::weak_ptr(numbers),
                            [](std::vector<int>& to, int number) { to.push_back(number); });
    add(1);
    EXPECT_EQ(*numbers, std::vector<int>{1});
    numbers = nullptr;
    add(2);
}

TEST(Lifetime, CallsNothingOnceItIsOver) {
    std::optional<Lifetime> lifetime(std::in_place);
    int calls = 0;
    const std::function<void(int)> add = lifetime->guarded([&](int number) { calls += number; });
    add(1);
    EXPECT_EQ(calls, 1);
    lifetime.reset();
    add(1);
    EXPECT_EQ(calls, 1);
}

TEST(Lifetime, ACallMayEndIt) {
    std::optional<Lifetime> lifetime(std::in_place);
    int calls = 0;
    const std::function<void()> end = lifetime->guarded([&] {
        lifetime.reset();
        ++calls;
    });
    end();
    end();
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace runtime::inline base
