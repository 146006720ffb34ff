#include "runtime/localapi/tailnet_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::localapi {
namespace {

// A view that remembers the rest of the last message.
class View : public TailnetView {
public:
    void end_message(const BusMessage& message) override { last = message; }

    bool take(std::string_view lines, std::size_t piece = 7) {
        for (std::size_t at = 0; at < lines.size(); at += piece) {
            if (!reader.take(lines.substr(at, piece))) {
                return false;
            }
        }
        return true;
    }
    std::string addresses_of(std::string_view name) const {
        auto found = resolve(name);
        if (!found) {
            return found.error().diagnostic.message;
        }
        std::string out;
        for (const IpAddress& address : *found) {
            out.append(out.empty() ? "" : " ").append(address.text());
        }
        return out;
    }

    BusMessage last;
    BusReader reader{*this};
};

constexpr std::string_view kNetMap =
    R"({"Version":"1.96.5","State":6,"NetMap":{"SelfNode":{"ID":1,"StableID":"n1","Name":"me.t.ts.net.",)"
    R"("Addresses":["100.64.0.1/32","fd7a::1/128"],"CapMap":{"x":[{"Name":"no"}]}},"Peers":[)"
    R"({"ID":2,"StableID":"n2","Name":"DB.t.ts.net.","Addresses":["100.64.0.2/32"],"AllowedIPs":["100.64.0.2/32"],)"
    R"("Hostinfo":{"Name":"other","Services":[{"Addresses":["9.9.9.9"]}]}},)"
    R"({"ID":3,"Name":"host.t.ts.net.","Addresses":["100.64.0.3/32"],"AllowedIPs":["100.64.0.3/32","100.100.1.1/32","10.0.0.0/8"]},)"
    R"({"ID":4,"Name":"via.t.ts.net.","Addresses":["100.64.0.4/32"],"AllowedIPs":["fd7a:115c:a1e0:b1a:0:7:a01:0/112"]}],)"
    R"("DNS":{"CertDomains":["me.t.ts.net"],"ExtraRecords":[{"Name":"svc.t.ts.net","Value":"100.100.1.1"},)"
    R"({"Name":"svc.t.ts.net","Type":"A","Value":"100.100.1.2"}]}}})"
    "\n";

TEST(TailnetView, KnowsItselfAndTheNamesThatAreWanted) {
    for (const std::size_t piece : {1U, 13U, 4096U}) {
        View view;
        EXPECT_TRUE(view.want({"db.t.ts.net", "svc.t.ts.net.", "10-1-0-5-via-7.t.ts.net"}));
        EXPECT_FALSE(view.want({"svc.T.ts.net", "db.t.ts.net.", "10-1-0-5-via-7.t.ts.net"}));
        ASSERT_TRUE(view.take(kNetMap, piece));
        EXPECT_EQ(view.last.state, BackendState::Running);
        EXPECT_EQ(view.last.version, "1.96.5");
        EXPECT_TRUE(view.last.is_snapshot && view.last.has_self && view.last.has_peers);
        ASSERT_NE(view.self(), nullptr);
        EXPECT_EQ(view.self()->stable_id, "n1");
        EXPECT_EQ(view.self()->name, "me.t.ts.net.");
        EXPECT_EQ(view.self()->addresses.size(), 2U);
        EXPECT_EQ(view.cert_domains(), std::vector<std::string>{"me.t.ts.net"});
        EXPECT_EQ(view.addresses_of("db.t.ts.net."), "100.64.0.2");
        EXPECT_EQ(view.addresses_of("svc.t.ts.net"),
                  "100.100.1.1");  // no node serves 100.100.1.2
        EXPECT_EQ(view.addresses_of("10-1-0-5-via-7.t.ts.net"), "fd7a:115c:a1e0:b1a:0:7:a01:5");
    }
}

TEST(TailnetView, SaysWhatItCannotFind) {
    View view;
    view.want({"10-2-0-5-via-7.t.ts.net", "host.t.ts.net"});
    ASSERT_TRUE(view.take(kNetMap));
    EXPECT_EQ(view.addresses_of("db.t.ts.net"),
              "could not find Tailscale node, service or 4via6 address \"db.t.ts.net\"; it either "
              "does not exist, or not reachable because of ACLs");
    EXPECT_EQ(view.addresses_of("10-2-0-5-via-7.t.ts.net"),
              "resolved 4via6 address fd7a:115c:a1e0:b1a:0:7:a02:5 for "
              "\"10-2-0-5-via-7.t.ts.net\" but no peer advertises a route containing it");
}

TEST(TailnetView, FollowsChangesBehindAStatus) {
    View view;
    view.want({"db.t.ts.net"});
    ASSERT_TRUE(view.take(
        R"({"InitialStatus":{"BackendState":"NeedsLogin","Self":{"ID":"n1","NodeID":1,"DNSName":"me.t.ts.net.",)"
        R"("TailscaleIPs":["100.64.0.1"]},"CertDomains":null,"ExtraRecords":null,"Peer":{"nodekey:a":{"ID":"n2",)"
        R"("NodeID":2,"DNSName":"db.t.ts.net.","TailscaleIPs":["100.64.0.2"],"AllowedIPs":["100.64.0.2/32"]}}}})"
        "\n"));
    EXPECT_EQ(view.last.state, BackendState::NeedsLogin);
    EXPECT_TRUE(view.last.is_snapshot);
    EXPECT_EQ(view.self()->stable_id, "n1");
    EXPECT_EQ(view.self()->id, 1U);
    EXPECT_EQ(view.addresses_of("db.t.ts.net"), "100.64.0.2");

    ASSERT_TRUE(view.take(
        R"({"State":6,"PeersChanged":[{"ID":2,"Name":"db.t.ts.net.","Addresses":["100.64.0.9/32"]}]})"
        "\n"));
    EXPECT_EQ(view.last.state, BackendState::Running);
    EXPECT_FALSE(view.last.is_snapshot || view.last.has_self);
    EXPECT_EQ(view.addresses_of("db.t.ts.net"), "100.64.0.9");
    ASSERT_TRUE(
        view.take(R"({"SelfChange":{"ID":1,"StableID":"n7","Name":"new.t.ts.net.","Addresses":[]}})"
                  "\n"));
    EXPECT_TRUE(view.last.has_self && !view.last.has_peers);
    EXPECT_EQ(view.self()->stable_id, "n7");

    ASSERT_TRUE(view.take("{\"PeersRemoved\":[2,5]}\n"));
    EXPECT_TRUE(view.last.has_peers);
    EXPECT_NE(view.addresses_of("db.t.ts.net"), "100.64.0.9");
    ASSERT_TRUE(view.take("{\"InitialStatus\":{}}\n"));
    EXPECT_EQ(view.self(), nullptr);
}

TEST(TailnetView, ReplacesNodesWithoutAnIdByName) {
    View view;
    view.want({"db.t.ts.net"});
    for (const std::string_view last : {"2", "3"}) {
        ASSERT_TRUE(
            view.take(fmt::format("{{\"PeersChanged\":[{{\"Name\":\"db.t.ts.net.\",\"Addresses\":["
                                  "\"100.64.0.{}/32\"]}}]}}\n",
                                  last)));
        EXPECT_EQ(view.addresses_of("db.t.ts.net"), fmt::format("100.64.0.{}", last));
    }
}

TEST(BusReader, SaysWhatAMessageSays) {
    View view;
    ASSERT_TRUE(view.take(
        R"({"ErrMessage":"consumer fell behind","Health":{"Warnings":{"login-state":{"Text":"x"}}}})"
        "\n"));
    EXPECT_TRUE(view.last.login_failed);
    EXPECT_EQ(view.last.error, "consumer fell behind");
    EXPECT_FALSE(view.last.state.has_value());
    ASSERT_TRUE(view.take("{\"State\":null,\"Health\":{\"Warnings\":{\"warming-up\":{}}}}\n"));
    EXPECT_FALSE(view.last.login_failed);
    EXPECT_FALSE(view.last.state.has_value());
    ASSERT_TRUE(view.take("{\"State\":99}\n"));
    EXPECT_FALSE(view.last.state.has_value());
    EXPECT_FALSE(view.take("<html>\n"));
}

TEST(ViaName, StandsForAnAddress) {
    struct Row {
        std::string_view name, want;
    };
    for (const Row& row : {Row{"10-1-0-5-via-7", "fd7a:115c:a1e0:b1a:0:7:a01:5"},
                           Row{"10-1-0-5-VIA-0x10001.t.ts.net.", "fd7a:115c:a1e0:b1a:1:1:a01:5"},
                           Row{"10-1-0-5-via-7.example.com", ""}, Row{"10-1-0-via-7.t.ts.net", ""},
                           Row{"10-1-0-5-via-.t.ts.net", ""}, Row{"10-1-0-5-via-x.t.ts.net", ""},
                           Row{"db.t.ts.net", ""}}) {
        const auto address = address_of_via_name(row.name);
        EXPECT_EQ(address ? address->text() : "", row.want) << row.name;
    }
}

}  // namespace
}  // namespace runtime::localapi
