#include "runtime/dns/resolved_name.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "runtime/testing/fake_loop.h"

namespace runtime::dns {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Returns the answer that a test has set, and records the lookups.
class FakeLookup : public Lookup {
public:
    explicit FakeLookup(FakeLoop& loop) : loop_(loop) {}
    void addresses_of(const std::string& name, Family family,
                      std::function<void(Answer)> done) override {
        if (family == Family::V4) {
            asked.push_back(loop_.uptime());
        }
        EXPECT_EQ(name, "web.shop.svc.cluster.local");
        loop_.after(milliseconds(1),
                    [this, family, done = std::move(done)] { done(answers[family]); });
    }
    std::map<Family, Answer> answers;
    std::vector<Duration> asked;

private:
    FakeLoop& loop_;
};

class ResolvedNameTest : public testing::Test {
protected:
    void answer(const std::vector<const char*>& addresses, Duration ttl) {
        Answer v4{.ttl = ttl};
        for (const char* address : addresses) {
            v4.addresses.push_back(*IpAddress::parse(address));
        }
        lookup.answers[Family::V4] = v4;
    }
    void fail() {
        lookup.answers[Family::V4] = {.problem = "Timeout while contacting DNS servers"};
    }
    void start() {
        name.emplace(loop, log, random, lookup, "web.shop.svc.cluster.local", "cluster.local",
                     [this](const std::vector<IpAddress>& addresses) {
                         std::string text;
                         for (const IpAddress& address : addresses) {
                             text += (text.empty() ? "" : " ") + address.text();
                         }
                         changes.push_back(text);
                     });
    }

    FakeLoop loop;
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    FakeLookup lookup{loop};
    std::optional<ResolvedName> name;
    std::vector<std::string> changes;
};

TEST_F(ResolvedNameTest, FollowsAChangeWithinTheTtl) {
    answer({"10.96.0.7"}, seconds(5));
    start();
    loop.run_for(seconds(60));
    EXPECT_EQ(changes, std::vector<std::string>{"10.96.0.7"});
    answer({"10.96.0.9", "10.96.0.8"}, seconds(5));
    loop.run_for(seconds(5));
    EXPECT_EQ(changes, (std::vector<std::string>{"10.96.0.7", "10.96.0.8 10.96.0.9"}));
    EXPECT_EQ(name->problem(), "");
    for (std::size_t i = 1; i < lookup.asked.size(); ++i) {
        EXPECT_LE(lookup.asked[i] - lookup.asked[i - 1], seconds(5) + milliseconds(1));
        EXPECT_GE(lookup.asked[i] - lookup.asked[i - 1], milliseconds(4500));
    }
}

TEST_F(ResolvedNameTest, KeepsTheLastGoodSetAndComesBackSoonerAndSooner) {
    fail();
    start();
    loop.run_for(seconds(300));
    EXPECT_TRUE(changes.empty());
    EXPECT_EQ(name->problem(), "Timeout while contacting DNS servers");
    // The delays are 1, 2, 4, 8, 16, 30, 30, … seconds, or down to half of that.
    EXPECT_GE(lookup.asked.size(), 12U);
    EXPECT_LE(lookup.asked.size(), 26U);
    answer({"10.96.0.7"}, seconds(5));
    loop.run_for(seconds(31));
    EXPECT_EQ(changes, std::vector<std::string>{"10.96.0.7"});
    fail();
    loop.run_for(seconds(300));
    EXPECT_EQ(changes.size(), 1U);
    EXPECT_EQ(name->addresses().size(), 1U);
    EXPECT_EQ(name->problem(), "Timeout while contacting DNS servers");
    answer({"10.96.0.7"}, seconds(5));
    loop.run_for(seconds(31));
    EXPECT_EQ(name->problem(), "");
    EXPECT_EQ(changes.size(), 1U);
    // After a success, the next failure is retried within a second.
    fail();
    const std::size_t before = lookup.asked.size();
    loop.run_for(seconds(5) + milliseconds(1100));
    EXPECT_GE(lookup.asked.size(), before + 2);
}

TEST_F(ResolvedNameTest, EndsQuietlyWhileAsking) {
    answer({"10.96.0.7"}, seconds(5));
    start();
    name.reset();
    loop.run_for(seconds(60));
    EXPECT_TRUE(changes.empty());
    EXPECT_EQ(lookup.asked.size(), 1U);
}

}  // namespace
}  // namespace runtime::dns
