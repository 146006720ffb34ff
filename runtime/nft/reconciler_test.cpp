#include "runtime/nft/reconciler.h"

#include <gtest/gtest.h>

#include "runtime/nft/desired.h"
#include "runtime/nft/refusal.h"
#include "runtime/testing/fake_loop.h"

namespace runtime::nft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A kernel that holds one table and refuses on request.
class FakeDataplane : public Dataplane {
public:
    renderer::Result<Live> read() override {
        ++reads;
        if (failing_reads > 0) {
            --failing_reads;
            return refusal("read the rules", EINTR);
        }
        return Live{.table = table, .generation = generation};
    }
    renderer::Result<renderer::Unit> apply(const Batch& batch, std::uint32_t seen) override {
        EXPECT_FALSE(batch.empty());
        if (failing_applies > 0) {
            --failing_applies;
            return refusal("add map egress4", EPERM);
        }
        EXPECT_EQ(seen, generation);
        ++generation;
        ++applies;
        table = becomes;
        return renderer::Unit{};
    }
    renderer::Result<std::size_t> remove_stale_flows(const Forwarding& forwarding) override {
        EXPECT_EQ(desired(forwarding), becomes);
        ++flow_checks;
        if (failing_flow_checks > 0) {
            --failing_flow_checks;
            return refusal("read the tracked connections", ENOBUFS);
        }
        return std::size_t{0};
    }

    std::optional<Ruleset> table;
    Ruleset becomes;  // the result of a batch; diff_test covers it
    std::uint32_t generation = 1;
    int reads = 0, applies = 0, flow_checks = 0;
    int failing_reads = 0, failing_applies = 0, failing_flow_checks = 0;
};

class ReconcilerTest : public testing::Test {
protected:
    void set(const char* target) {
        const Forwarding wanted{.own = {*IpAddress::parse("100.64.0.1")},
                                .egress_targets = {*IpAddress::parse(target)}};
        kernel.becomes = desired(wanted);
        reconciler.set(wanted);
    }

    FakeLoop loop;
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    FakeDataplane kernel;
    int news = 0;
    Reconciler reconciler{loop, log, random, kernel, [this] { ++news; }};
};

TEST_F(ReconcilerTest, AppliesAtOnceAndLooksEveryMinute) {
    EXPECT_FALSE(reconciler.is_applied());
    loop.run_for(seconds(100));
    EXPECT_EQ(kernel.reads, 0);
    set("100.64.0.9");
    EXPECT_TRUE(reconciler.is_applied());
    EXPECT_EQ(kernel.table, kernel.becomes);
    EXPECT_EQ(kernel.flow_checks, 1);
    EXPECT_EQ(news, 1);
    set("100.64.0.9");
    loop.run_for(seconds(59));
    EXPECT_EQ(kernel.reads, 1);
    loop.run_for(seconds(121));
    EXPECT_EQ(kernel.reads, 4);
    EXPECT_EQ(kernel.applies, 1);
    EXPECT_EQ(kernel.flow_checks, 1);
    EXPECT_EQ(news, 1);
    set("100.64.0.8");
    EXPECT_EQ(kernel.applies, 2);
    EXPECT_EQ(kernel.flow_checks, 2);
    EXPECT_EQ(news, 2);
}

TEST_F(ReconcilerTest, FindsRulesOfAnEarlierProcess) {
    kernel.table = desired({.own = {*IpAddress::parse("100.64.0.1")},
                            .egress_targets = {*IpAddress::parse("100.64.0.9")}});
    set("100.64.0.9");
    EXPECT_EQ(kernel.applies, 0);
    EXPECT_EQ(kernel.flow_checks, 1);  // an earlier process may have been killed
    EXPECT_EQ(news, 1);
}

TEST_F(ReconcilerTest, RepairsWhatOthersDisturbOnceForManyChanges) {
    set("100.64.0.9");
    kernel.table.reset();
    for (int i = 0; i < 10; ++i) {
        reconciler.disturbed();
        loop.run_for(milliseconds(10));
    }
    EXPECT_EQ(kernel.reads, 1);
    loop.run_for(milliseconds(100));
    EXPECT_EQ(kernel.reads, 2);
    EXPECT_EQ(kernel.table, kernel.becomes);
    EXPECT_EQ(kernel.flow_checks, 2);
    EXPECT_EQ(news, 2);
}

TEST_F(ReconcilerTest, TriesAgainWithBackoffAndSaysWhy) {
    kernel.failing_applies = 5;
    set("100.64.0.9");
    EXPECT_FALSE(reconciler.is_applied());
    EXPECT_EQ(reconciler.problem(),
              "cannot add map egress4: Operation not permitted (give the container the capability "
              "NET_ADMIN, or run it privileged)");
    reconciler.disturbed();  // does not change the retries
    loop.run_for(milliseconds(49));
    EXPECT_EQ(kernel.reads, 1);
    loop.run_for(milliseconds(51));
    EXPECT_EQ(kernel.reads, 2);
    loop.run_for(seconds(4));  // at most 0.1, 0.2, 0.4, 0.8 and 1.6
    EXPECT_TRUE(reconciler.is_applied());
    EXPECT_EQ(reconciler.problem(), "");
    EXPECT_EQ(news, 1);
    kernel.failing_reads = 1;
    loop.run_for(seconds(61));
    EXPECT_TRUE(reconciler.is_applied());
    EXPECT_EQ(kernel.applies, 1);
    EXPECT_EQ(news, 2);  // as wanted again, as far as it is known
}

TEST_F(ReconcilerTest, ForwardsEvenIfOldConnectionsCannotBeEnded) {
    kernel.failing_flow_checks = 1;
    set("100.64.0.9");
    EXPECT_TRUE(reconciler.is_applied());
    loop.run_for(seconds(60));
    EXPECT_EQ(kernel.flow_checks, 2);
    loop.run_for(seconds(60));
    EXPECT_EQ(kernel.flow_checks, 2);
}

}  // namespace
}  // namespace runtime::nft
