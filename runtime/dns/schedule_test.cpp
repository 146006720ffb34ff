#include "runtime/dns/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::dns {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(Schedule, KnowsTheClustersNames) {
    struct Case {
        std::string_view name, domain;
        bool want;
    };
    const Case cases[] = {
        {"web.shop.svc.cluster.local", "cluster.local", true},
        {"web.shop.svc.cluster.local.", "cluster.local", true},
        {"web.shop.svc.Cluster.LOCAL", "cluster.local.", true},
        {"cluster.local", "cluster.local", false},
        {"mycluster.local", "cluster.local", false},
        {"db.example.com", "cluster.local", false},
        {"db.example.com", "", false},
        {"db.example.com.", ".", false},
    };
    for (const Case& row : cases) {
        SCOPED_TRACE(fmt::format("{} in {}", row.name, row.domain));
        EXPECT_EQ(is_in_domain(row.name, row.domain), row.want);
    }
}

TEST(Schedule, KeepsBetweenFloorAndCeiling) {
    struct Case {
        Duration ttl;
        bool in_cluster;
        Duration want;
    };
    const Case cases[] = {
        {seconds(0), true, seconds(5)},
        {seconds(0), false, seconds(30)},
        {seconds(5), true, seconds(5)},
        {seconds(29), false, seconds(30)},
        {seconds(60), true, seconds(60)},
        {seconds(60), false, seconds(60)},
        {minutes(10), true, minutes(10)},
        {minutes(11), false, minutes(10)},
        {seconds(0x7fffffff), false, minutes(10)},
    };
    RandomSource random(1);
    for (const Case& row : cases) {
        SCOPED_TRACE(fmt::format("{} ms", row.ttl.count()));
        Duration least = Duration::max(), most = {};
        for (int i = 0; i < 1000; ++i) {
            const Duration delay = delay_until_next(row.ttl, row.in_cluster, random);
            least = std::min(least, delay);
            most = std::max(most, delay);
        }
        // The delay never exceeds the TTL, and varies by a tenth of it.
        EXPECT_LE(most, row.want);
        EXPECT_GT(most, row.want * 99 / 100);
        EXPECT_GE(least, row.want * 9 / 10);
        EXPECT_LT(least, row.want * 91 / 100);
    }
}

// "1.1.1.1 2.2.2.2 ttl 60", "none", "problem timeout"
Answer scripted_answer(std::string_view text) {
    Answer answer;
    if (text.starts_with("problem ")) {
        answer.problem = text.substr(8);
        return answer;
    }
    bool is_ttl = false;
    while (!text.empty()) {
        const std::string word(text.substr(0, text.find(' ')));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (is_ttl) {
            answer.ttl = seconds(std::stoi(word));
        } else if (const auto address = IpAddress::parse(word)) {
            answer.addresses.push_back(*address);
        }
        is_ttl = word == "ttl";
    }
    return answer;
}

std::string dump(const AddressSet& set, const AddressSet::Outcome& outcome) {
    std::string text;
    for (const IpAddress& address : set.addresses()) {
        text += address.text() + " ";
    }
    return fmt::format("{}{}{}ttl {}{}", text, outcome.changed ? "changed " : "",
                       outcome.failed ? "failed " : "", outcome.ttl / seconds(1),
                       outcome.problem.empty() ? "" : ": " + outcome.problem);
}

TEST(AddressSet, KeepsTheLastGoodSet) {
    struct Step {
        std::string_view v4, v6, want;
    };
    const Step steps[] = {
        {"problem timeout", "none", "failed ttl 0: timeout"},
        {"none", "none", "failed ttl 0: it has no addresses"},
        {"10.0.0.2 10.0.0.1 10.0.0.2 ttl 60", "none", "10.0.0.1 10.0.0.2 changed ttl 60"},
        {"10.0.0.1 10.0.0.2 ttl 30", "none", "10.0.0.1 10.0.0.2 ttl 30"},
        {"10.0.0.1 ttl 30", "fd00::1 ttl 7", "10.0.0.1 fd00::1 changed ttl 7"},
        {"problem timeout", "problem refused", "10.0.0.1 fd00::1 failed ttl 0: refused"},
        {"none", "none", "10.0.0.1 fd00::1 failed ttl 0: it has no addresses"},
        {"none", "problem refused", "10.0.0.1 fd00::1 failed ttl 0: refused"},
        {"10.0.0.3 ttl 30", "problem refused", "10.0.0.3 fd00::1 changed ttl 30: refused"},
        {"none", "fd00::1 ttl 3600", "fd00::1 changed ttl 600"},
        {"10.0.0.3 ttl 9", "none", "10.0.0.3 changed ttl 9"},
    };
    AddressSet set;
    for (const Step& step : steps) {
        SCOPED_TRACE(step.want);
        const auto outcome = set.take(scripted_answer(step.v4), scripted_answer(step.v6));
        EXPECT_EQ(dump(set, outcome), step.want);
    }
}

TEST(ClusterDomainOf, IsBehindSvc) {
    EXPECT_EQ(cluster_domain_of("web.shop.svc.cluster.local"), "cluster.local");
    EXPECT_EQ(cluster_domain_of("web.shop.svc.corp.example."), "corp.example");
    EXPECT_EQ(cluster_domain_of("db-0.db.shop.svc.cluster.local"), "cluster.local");
    EXPECT_EQ(cluster_domain_of("a.db-0.db.shop.svc.cluster.local"), "");
    EXPECT_EQ(cluster_domain_of("web.svc.cluster.local"), "");
    EXPECT_EQ(cluster_domain_of("web.shop.svc"), "");
    EXPECT_EQ(cluster_domain_of("db.shop.example.com"), "");
    EXPECT_EQ(cluster_domain_of("..svc.example.com"), "");
    EXPECT_EQ(cluster_domain_of(""), "");
}

}  // namespace
}  // namespace runtime::dns
