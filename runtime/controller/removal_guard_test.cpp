#include "runtime/controller/removal_guard.h"

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/testing/controller_test.h"

namespace runtime {
namespace {

using renderer::text_of;
using renderer::Value;

std::set<std::string> pods(char first, char last) {
    std::set<std::string> names;
    for (char name = first; name <= last; ++name) {
        names.insert(std::string("p") + name);
    }
    return names;
}

constexpr Time kNow{};

TEST(RemovalGuard, AFewMayGo) {
    const GuardAnswer answer = guard_removals(pods('a', 'e'), 10, {}, "", kNow);
    EXPECT_FALSE(answer.is_blocked);
    EXPECT_TRUE(answer.may_remove("pa"));
    EXPECT_EQ(answer.recorded, Blocked());
}

TEST(RemovalGuard, ManyWaitForAWord) {
    const GuardAnswer blocked = guard_removals(pods('a', 'f'), 10, {}, "", kNow);
    EXPECT_TRUE(blocked.is_blocked);
    EXPECT_FALSE(blocked.may_remove("pa"));
    EXPECT_EQ(blocked.recorded.pods, pods('a', 'f'));
    EXPECT_EQ(guard_removals(pods('a', 'f'), 10, blocked.recorded, "", kNow).recorded,
              blocked.recorded);
    const std::string& token = blocked.recorded.token;
    const GuardAnswer confirmed = guard_removals(pods('a', 'f'), 10, blocked.recorded, token, kNow);
    EXPECT_TRUE(confirmed.may_remove("pa"));
    // Until the last one is gone.
    EXPECT_TRUE(
        guard_removals(pods('f', 'f'), 5, confirmed.recorded, token, kNow).may_remove("pf"));
    EXPECT_EQ(guard_removals({}, 4, confirmed.recorded, token, kNow).recorded, Blocked());
}

TEST(RemovalGuard, AWordIsForTheseAndNoOthers) {
    const Blocked first = guard_removals(pods('a', 'f'), 10, {}, "", kNow).recorded;
    // More have vanished before the word came.
    const GuardAnswer more = guard_removals(pods('a', 'h'), 10, first, "", kNow);
    EXPECT_NE(more.recorded.token, first.token);
    EXPECT_FALSE(
        guard_removals(pods('a', 'h'), 10, more.recorded, first.token, kNow).may_remove("pa"));
    // Others vanish while the confirmed ones go.
    const GuardAnswer later = guard_removals(pods('f', 'l'), 12, first, first.token, kNow);
    EXPECT_TRUE(later.may_remove("pf"));
    EXPECT_TRUE(later.is_blocked);
    EXPECT_FALSE(later.may_remove("pg"));
    // The same ones vanish once more, and the annotation still stands.
    const GuardAnswer again =
        guard_removals(pods('a', 'f'), 10, {}, first.token, kNow + std::chrono::hours(1));
    EXPECT_NE(again.recorded.token, first.token);
    EXPECT_FALSE(again.may_remove("pa"));
}

class BlockedRemovals : public ControllerTest {
protected:
    static std::string ledger() { return FakeCluster::path("configmaps", "tailrender-devices"); }
    std::string token() {
        const auto blocked = renderer::read_json(
            text_of(kube.find(ledger())->at({"data", "blocked-removals.json"})));
        return std::string(blocked ? text_of(blocked->at({"token"})) : std::string_view());
    }
    void confirm(const std::string& text) {
        Value object = kube.find(ledger())->clone();
        object.find("metadata")->put("annotations", Value::map());
        object.find("metadata")->find("annotations")->put(Value(kConfirmRemovalsAnnotation), text);
        kube.put(ledger(), std::move(object));
    }
};

TEST_F(BlockedRemovals, GoOnceAUserHasConfirmedThem) {
    const std::set<std::string> names = pods('a', 'h');
    for (const std::string& name : names) {
        cluster.add_proxy(name);
    }
    start();
    run(kMinute);
    for (const std::string& name : names) {
        cluster.remove_proxy(name);
    }
    run(10 * kMinute);
    EXPECT_EQ(tailnet.devices.size(), names.size());
    ASSERT_FALSE(token().empty());
    const auto events = kube.paths_below("/api/v1/namespaces/tailscale/events");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(text_of(kube.find(events[0])->find("message")),
              "8 of 8 proxies have vanished at once: none is removed until the annotation "
              "tailrender.dev/confirm-removals on this ConfigMap is \"" +
                  token() + "\"");
    confirm("8");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), names.size());
    start(2);  // a new process asks for the same word
    run(kMinute);
    confirm(token());
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(token().empty());
    expect_converged({});
}

}  // namespace
}  // namespace runtime
