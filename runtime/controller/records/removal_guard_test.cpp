#include "runtime/controller/records/removal_guard.h"

#include "renderer/contract/controller_objects.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime::controller {
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

// Returns these departures of `total` proxies.
Departures of(std::size_t total, std::set<std::string> leaving) {
    const std::size_t wanted = total - leaving.size();
    return {.leaving = std::move(leaving), .wanted = wanted};
}

TEST(RemovalGuard, AFewMayGo) {
    const GuardAnswer answer = guard_removals(of(10, pods('a', 'e')), {}, "", kUid);
    EXPECT_FALSE(answer.is_blocked);
    EXPECT_TRUE(answer.may_remove("pa"));
    EXPECT_EQ(answer.recorded, Blocked());
}

TEST(RemovalGuard, ManyWaitForAWord) {
    const GuardAnswer blocked = guard_removals(of(10, pods('a', 'f')), {}, "", kUid);
    EXPECT_TRUE(blocked.is_blocked);
    EXPECT_FALSE(blocked.may_remove("pa"));
    EXPECT_EQ(blocked.recorded.pods, pods('a', 'f'));
    EXPECT_EQ(guard_removals(of(10, pods('a', 'f')), blocked.recorded, "", kUid).recorded,
              blocked.recorded);
    const std::string& token = blocked.recorded.token;
    const GuardAnswer confirmed =
        guard_removals(of(10, pods('a', 'f')), blocked.recorded, token, kUid);
    EXPECT_TRUE(confirmed.may_remove("pa"));
    // A token is published once it is recorded, and does not change until then.
    EXPECT_FALSE(blocked.is_recorded);
    EXPECT_EQ(guard_removals(of(10, pods('a', 'f')), {}, "", kUid).recorded, blocked.recorded);
    EXPECT_NE(guard_removals(of(10, pods('a', 'f')), {}, "", "u2").recorded, blocked.recorded);
    EXPECT_TRUE(guard_removals(of(10, pods('a', 'f')), blocked.recorded, "", kUid).is_recorded);
    // The token is valid until the last one is removed.
    EXPECT_TRUE(
        guard_removals(of(5, pods('f', 'f')), confirmed.recorded, token, kUid).may_remove("pf"));
    EXPECT_EQ(guard_removals(of(4, {}), confirmed.recorded, token, kUid).recorded, Blocked());
}

TEST(RemovalGuard, AWordIsForTheseAndNoOthers) {
    const Blocked first = guard_removals(of(10, pods('a', 'f')), {}, "", kUid).recorded;
    // More have disappeared before the confirmation.
    const GuardAnswer more = guard_removals(of(10, pods('a', 'h')), first, "", kUid);
    EXPECT_NE(more.recorded.token, first.token);
    EXPECT_FALSE(
        guard_removals(of(10, pods('a', 'h')), more.recorded, first.token, kUid).may_remove("pa"));
    // Others disappear while the confirmed ones are removed.
    const GuardAnswer later = guard_removals(of(12, pods('f', 'l')), first, first.token, kUid);
    EXPECT_TRUE(later.may_remove("pf"));
    EXPECT_TRUE(later.is_blocked);
    EXPECT_FALSE(later.may_remove("pg"));
    // They have their own token meanwhile, and the first ones stay confirmed.
    EXPECT_NE(later.recorded.token, first.token);
    EXPECT_EQ(later.recorded.pods, pods('g', 'l'));
    EXPECT_EQ(later.recorded.confirmed, pods('f', 'f'));
    for (const std::string& word : {first.token, std::string("12-none")}) {
        const GuardAnswer next = guard_removals(of(12, pods('f', 'l')), later.recorded, word, kUid);
        EXPECT_EQ(next.recorded, later.recorded) << word;
        EXPECT_TRUE(next.may_remove("pf")) << word;
        EXPECT_FALSE(next.may_remove("pg")) << word;
    }
    const GuardAnswer both =
        guard_removals(of(12, pods('f', 'l')), later.recorded, later.recorded.token, kUid);
    EXPECT_TRUE(both.may_remove("pf"));
    EXPECT_TRUE(both.may_remove("pg"));
    // One that exists again needs a confirmation when it disappears once more.
    const GuardAnswer back =
        guard_removals(of(12, pods('g', 'l')), later.recorded, first.token, kUid);
    EXPECT_EQ(back.recorded.confirmed, pods('b', 'a'));
    EXPECT_FALSE(
        guard_removals(of(12, pods('f', 'l')), back.recorded, first.token, kUid).may_remove("pf"));
    // The same ones disappear once more, with the annotation unchanged.
    const GuardAnswer again = guard_removals(of(10, pods('a', 'f')), {}, first.token, kUid);
    EXPECT_NE(again.recorded.token, first.token);
    EXPECT_FALSE(again.may_remove("pa"));
}

TEST(RemovalGuard, AllOfTwoWait) {
    EXPECT_TRUE(guard_removals(of(2, pods('a', 'b')), {}, "", kUid).is_blocked);
    EXPECT_FALSE(guard_removals(of(3, pods('a', 'b')), {}, "", kUid).is_blocked);
    EXPECT_FALSE(guard_removals(of(1, pods('a', 'a')), {}, "", kUid).is_blocked);
}

TEST(RemovalGuard, WavesCountTogether) {
    Departures departures = of(8, pods('d', 'e'));
    departures.removed = pods('a', 'c');
    EXPECT_FALSE(guard_removals(departures, {}, "", kUid).is_blocked);
    departures.removed = pods('A', 'D');
    const GuardAnswer answer = guard_removals(departures, {}, "", kUid);
    EXPECT_TRUE(answer.is_blocked);
    EXPECT_EQ(answer.recorded.pods, pods('d', 'e')) << "a deleted pod needs no confirmation";
    // The last one of a few is blocked.
    EXPECT_TRUE(guard_removals({.leaving = {"pb"}, .removed = {"pa"}}, {}, "", kUid).is_blocked);
}

TEST(RemovalGuard, PreviewsComeAndGo) {
    Departures departures{.young = pods('a', 'z'), .wanted = 3};
    EXPECT_FALSE(guard_removals(departures, {}, "", kUid).is_blocked);
    EXPECT_FALSE(guard_removals(departures, {}, "", kUid).counts("pa"));
    departures.leaving = pods('A', 'G');
    GuardAnswer answer = guard_removals(departures, {}, "", kUid);
    EXPECT_TRUE(answer.is_blocked);
    EXPECT_TRUE(answer.may_remove("pa"));
    EXPECT_FALSE(answer.may_remove("pA"));
    // Nothing is left, so the young ones disappeared by the same mistake.
    departures.wanted = 0;
    answer = guard_removals(departures, {}, "", kUid);
    EXPECT_FALSE(answer.may_remove("pa"));
    EXPECT_TRUE(answer.recorded.pods.contains("pa"));
    departures.leaving.clear();
    answer = guard_removals(departures, {}, "", kUid);
    EXPECT_TRUE(answer.is_blocked) << "also when all were young";
    EXPECT_FALSE(answer.may_remove("pa"));
    departures.wanted_young = 1;
    EXPECT_TRUE(guard_removals(departures, {}, "", kUid).may_remove("pa"));
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
    void remove(char first, char last) {
        for (const std::string& name : pods(first, last)) {
            cluster.remove_proxy(name);
        }
        run(10 * kMinute);
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
        object.find("metadata")
            ->find("annotations")
            ->put(Value(renderer::kConfirmRemovalsAnnotation), text);
        kube.put(ledger(), std::move(object));
    }
};

TEST_F(BlockedRemovals, OneThatFailsIsReported) {
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
              "8 proxies have disappeared: none is removed until the annotation "
              "tailrender.dev/confirm-removals on this ConfigMap is \"" +
                  token() + "\"");
    confirm("8");
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), names.size());
    EXPECT_TRUE(says("UnknownConfirmation",
                     "the annotation tailrender.dev/confirm-removals on this "
                     "ConfigMap is not \"" +
                         token() + "\": nothing is confirmed"));
    start(2);  // a new process expects the same token, and waits for the delay by its own clock
    run(10 * kMinute);
    const std::size_t said = events().size();
    confirm(token());
    run(kMinute);
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(token().empty());
    EXPECT_EQ(events().size(), said) << "what was confirmed is not asked for";
    expect_converged({});
}

TEST_F(BlockedRemovals, ThoseThatVanishWhileConfirmedOnesHangCanBeConfirmed) {
    const std::set<std::string> all = pods('a', 'p');
    for (const std::string& name : all) {
        cluster.add_proxy(name);
    }
    start();
    run(kMinute);
    remove('a', 'h');
    network.fault = [](const HttpRequest& request) {
        return request.method == "DELETE" ? Fault::Broken : Fault::None;
    };
    const std::string first = token();
    confirm(first);
    run(kMinute);
    remove('i', 'p');
    const std::string second = token();
    ASSERT_NE(second, first);
    EXPECT_TRUE(is_told(second));
    start(2);
    run(10 * kMinute);
    network.fault = [](const HttpRequest&) { return Fault::None; };
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 8U) << "the first ones are confirmed, the others are not";
    confirm(second);
    run(kMinute);
    expect_converged({});
    EXPECT_TRUE(token().empty());
}

// Five of fifteen are removed, and then five more.
TEST_F(BlockedRemovals, AlsoCountThoseOfTheLastDayWhoeverHasSeenThem) {
    for (const std::string& name : pods('a', 'o')) {
        cluster.add_proxy(name);
    }
    start();
    run(kMinute);
    remove('a', 'e');
    EXPECT_EQ(tailnet.devices.size(), 10U);
    EXPECT_EQ(read_removed(text_of(kube.find(ledger())->at({"data", "removed.json"}))).size(), 5U);
    start(2);
    run(kMinute);
    remove('f', 'j');
    EXPECT_EQ(tailnet.devices.size(), 10U);
    EXPECT_TRUE(is_told(token()));
    run(std::chrono::hours(48));
    EXPECT_EQ(tailnet.devices.size(), 10U) << "time confirms nothing";
    confirm(token());
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 5U);
    remove('k', 'k');
    EXPECT_EQ(tailnet.devices.size(), 4U) << "a confirmation restarts the count";
}

TEST_F(BlockedRemovals, AnEmptiedRepositoryRemovesNothing) {
    cluster.add_proxy("a");
    cluster.add_proxy("b");
    start();
    run(kMinute);
    cluster.remove_proxy("a");
    cluster.remove_proxy("b");
    run(std::chrono::hours(48));
    EXPECT_EQ(tailnet.devices.size(), 2U);
    confirm(token());
    run(kMinute);
    expect_converged({});
}

TEST_F(BlockedRemovals, AClockThatJumpsMakesNoDelayPass) {
    cluster.add_proxy("a");
    start();
    run(kMinute);
    cluster.remove_proxy("a");
    run(20 * kSecond);
    loop.shift_calendar(std::chrono::hours(1));
    run(kMinute);
    EXPECT_EQ(tailnet.devices.size(), 1U);
    run(5 * kMinute);
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

TEST_F(BlockedRemovals, TheTableIsMadeAgainWhenSomeoneHasDeletedIt) {
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
}  // namespace runtime::controller
