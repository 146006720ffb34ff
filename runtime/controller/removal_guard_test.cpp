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

constexpr std::string_view kUid = "u1";

TEST(RemovalGuard, AFewMayGo) {
    const GuardAnswer answer = guard_removals(pods('a', 'e'), 10, {}, "", kUid);
    EXPECT_FALSE(answer.is_blocked);
    EXPECT_TRUE(answer.may_remove("pa"));
    EXPECT_EQ(answer.recorded, Blocked());
}

TEST(RemovalGuard, ManyWaitForAWord) {
    const GuardAnswer blocked = guard_removals(pods('a', 'f'), 10, {}, "", kUid);
    EXPECT_TRUE(blocked.is_blocked);
    EXPECT_FALSE(blocked.may_remove("pa"));
    EXPECT_EQ(blocked.recorded.pods, pods('a', 'f'));
    EXPECT_EQ(guard_removals(pods('a', 'f'), 10, blocked.recorded, "", kUid).recorded,
              blocked.recorded);
    const std::string& token = blocked.recorded.token;
    const GuardAnswer confirmed = guard_removals(pods('a', 'f'), 10, blocked.recorded, token, kUid);
    EXPECT_TRUE(confirmed.may_remove("pa"));
    // A token is told once it is recorded, and is the same until then.
    EXPECT_FALSE(blocked.is_recorded);
    EXPECT_EQ(guard_removals(pods('a', 'f'), 10, {}, "", kUid).recorded, blocked.recorded);
    EXPECT_NE(guard_removals(pods('a', 'f'), 10, {}, "", "u2").recorded, blocked.recorded);
    EXPECT_TRUE(guard_removals(pods('a', 'f'), 10, blocked.recorded, "", kUid).is_recorded);
    // Until the last one is gone.
    EXPECT_TRUE(
        guard_removals(pods('f', 'f'), 5, confirmed.recorded, token, kUid).may_remove("pf"));
    EXPECT_EQ(guard_removals({}, 4, confirmed.recorded, token, kUid).recorded, Blocked());
}

TEST(RemovalGuard, AWordIsForTheseAndNoOthers) {
    const Blocked first = guard_removals(pods('a', 'f'), 10, {}, "", kUid).recorded;
    // More have vanished before the word came.
    const GuardAnswer more = guard_removals(pods('a', 'h'), 10, first, "", kUid);
    EXPECT_NE(more.recorded.token, first.token);
    EXPECT_FALSE(
        guard_removals(pods('a', 'h'), 10, more.recorded, first.token, kUid).may_remove("pa"));
    // Others vanish while the confirmed ones go.
    const GuardAnswer later = guard_removals(pods('f', 'l'), 12, first, first.token, kUid);
    EXPECT_TRUE(later.may_remove("pf"));
    EXPECT_TRUE(later.is_blocked);
    EXPECT_FALSE(later.may_remove("pg"));
    // The same ones vanish once more, and the annotation still stands.
    const GuardAnswer again = guard_removals(pods('a', 'f'), 10, {}, first.token, kUid);
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
    std::vector<std::string> events() {
        return kube.paths_below("/api/v1/namespaces/tailscale/events");
    }
    bool is_told(const std::string& its_token) {
        for (const std::string& path : events()) {
            if (text_of(kube.find(path)->find("message")).find("\"" + its_token + "\"") !=
                std::string_view::npos) {
                return true;
            }
        }
        return false;
    }
    bool says(std::string_view reason, const std::string& message) {
        const auto paths = events();
        return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
            const Value& event = *kube.find(path);
            return text_of(event.find("reason")) == reason &&
                   text_of(event.find("message")) == message;
        });
    }
    void confirm(const std::string& text) {
        Value object = kube.find(ledger())->clone();
        object.find("metadata")->put("annotations", Value::map());
        object.find("metadata")->find("annotations")->put(Value(kConfirmRemovalsAnnotation), text);
        kube.put(ledger(), std::move(object));
    }
};

TEST_F(BlockedRemovals, OneThatFailsIsTold) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    network.fault = [](const HttpRequest& request) {
        return request.method == "DELETE" ? Fault::Broken : Fault::None;
    };
    cluster.remove_proxy("a");
    run(20 * kMinute);
    EXPECT_TRUE(says("CannotRemove", "a-0: fault (HTTP status 500)"));
}

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
    ASSERT_EQ(events().size(), 1U);
    EXPECT_EQ(text_of(kube.find(events()[0])->find("message")),
              "8 proxies have vanished at once: none is removed until the annotation "
              "tailrender.dev/confirm-removals on this ConfigMap is \"" +
                  token() + "\"");
    confirm("8");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), names.size());
    EXPECT_TRUE(says("UnknownConfirmation",
                     "the annotation tailrender.dev/confirm-removals on this "
                     "ConfigMap is not \"" +
                         token() + "\": nothing is confirmed"));
    start(2);  // a new process asks for the same word
    run(kMinute);
    const std::size_t said = events().size();
    confirm(token());
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(token().empty());
    EXPECT_EQ(events().size(), said) << "what was confirmed is not asked for";
    expect_converged({});
}

TEST_F(BlockedRemovals, TellNoTokenThatIsNotRecorded) {
    const std::set<std::string> names = pods('a', 'p');
    for (const std::string& name : names) {
        cluster.add_proxy(name);
    }
    start();
    run(kMinute);
    for (const std::string& name : names) {
        cluster.remove_proxy(name);
        run(Duration(100));
    }
    std::set<std::string> told;
    for (int i = 0; i < 10; ++i) {
        run(kMinute);
        for (const std::string& path : events()) {
            told.insert(path);
        }
    }
    EXPECT_LE(told.size(), 2U) << "when it began, and when it was over";
    EXPECT_TRUE(is_told(token()));
    confirm(token());
    run(kMinute);
    expect_converged({});
}

TEST_F(BlockedRemovals, TheTableIsMadeAgainWhenSomebodyHasDeletedIt) {
    const std::set<std::string> names = pods('a', 'h');
    for (const std::string& name : names) {
        cluster.add_proxy(name);
    }
    start();
    run(kMinute);
    kube.erase(ledger());
    for (const std::string& name : names) {
        cluster.remove_proxy(name);
    }
    run(10 * kMinute);
    ASSERT_NE(kube.find(ledger()), nullptr);
    EXPECT_NE(kube.find(ledger())->at({"data", "devices.jsonl"}), nullptr);
    EXPECT_EQ(tailnet.devices.size(), names.size());
    EXPECT_TRUE(is_told(token()));
    confirm(token());
    run(kMinute);
    expect_converged({});
}

}  // namespace
}  // namespace runtime
