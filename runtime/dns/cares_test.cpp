// Lookups with a DNS server on loopback.
#include "runtime/dns/cares.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "renderer/base/temporary_folder_testing.h"
#include "runtime/base/asio_loop.h"
#include "runtime/base/backoff.h"
#include "runtime/nameserver/dns_server.h"

namespace runtime::dns {
namespace {

constexpr std::uint16_t kCname = 5;

struct Rr {
    std::string name;
    std::uint16_t type;
    std::uint32_t ttl;
    std::string data;
};

Rr address(const std::string& name, std::uint32_t ttl, const std::string& text) {
    const auto ip = *IpAddress::parse(text);
    return {name, ip.is_v6() ? runtime::nameserver::dns::kAaaa : runtime::nameserver::dns::kA, ttl,
            std::string(ip.bytes())};
}
Rr alias(const std::string& name, std::uint32_t ttl, const std::string& target) {
    return {name, kCname, ttl, *nameserver::wire_name(target)};
}

class CaresTest : public testing::Test {
protected:
    void SetUp() override {
        auto port = server.listen(0);
        ASSERT_TRUE(port.has_value());
        const std::string path = temporary.path() + "/resolv.conf";
        std::ofstream(path) << "nameserver 127.0.0.1\nsearch shop.svc.cluster.local "
                               "svc.cluster.local cluster.local\n"
                               "options ndots:5\n";
        options = {.resolv_conf = path,
                   .port = *port,
                   .timeout = std::chrono::seconds(10),
                   .tries = 1,
                   .cluster_domain = "cluster.local"};
        open();
    }

    void open() {
        auto opened = open_cares(loop, options);
        ASSERT_TRUE(opened.has_value()) << opened.error().diagnostic.message;
        lookup = std::move(*opened);
    }

    std::string reply(std::string_view packet, nameserver::Carrier carrier) {
        const auto query = nameserver::read_query(packet);
        if (!query || !query->question) {
            return {};
        }
        const std::string name = nameserver::lower_name(query->question->name);
        asked.push_back(text_of(name));
        carriers.insert(carrier);
        if (silent.contains(text_of(name))) {
            return {};
        }
        std::vector<Rr> answers;
        std::string owner = name;
        for (const Rr& rr : zone) {  // an alias is before its target
            if (*nameserver::wire_name(rr.name) == owner &&
                (rr.type == query->question->type || rr.type == kCname)) {
                answers.push_back(rr);
                owner = rr.type == kCname ? rr.data : owner;
            }
        }
        const bool exists = std::any_of(zone.begin(), zone.end(), [&](const Rr& rr) {
            return *nameserver::wire_name(rr.name) == name;
        });
        std::string packet_back = write(*query, exists ? rcode : 3, answers, carrier);
        for (int i = 0; i < broken_bytes; ++i) {
            packet_back[2 + random.below(packet_back.size() - 2)] =
                static_cast<char>(random.below(256));
        }
        return packet_back;
    }

    static std::string write(const nameserver::Query& query, std::uint16_t rcode,
                             const std::vector<Rr>& answers, nameserver::Carrier carrier) {
        std::string records;
        for (const Rr& rr : answers) {
            records += *nameserver::wire_name(rr.name);
            nameserver::append_u16(records, rr.type);
            nameserver::append_u16(records, runtime::nameserver::dns::kInternet);
            nameserver::append_u32(records, rr.ttl);
            nameserver::append_u16(records, static_cast<std::uint16_t>(rr.data.size()));
            records += rr.data;
        }
        const bool is_cut = carrier == nameserver::Carrier::Udp && records.size() > 400;
        std::string out;
        nameserver::append_u16(out, query.id);
        nameserver::append_u16(out,
                               static_cast<std::uint16_t>(0x8180 | (is_cut ? 0x0200 : 0) | rcode));
        nameserver::append_u16(out, 1);
        nameserver::append_u16(
            out, is_cut ? std::uint16_t{0} : static_cast<std::uint16_t>(answers.size()));
        nameserver::append_u32(out, 0);
        out += query.question->name;
        nameserver::append_u16(out, query.question->type);
        nameserver::append_u16(out, query.question->qclass);
        return is_cut ? out : out + records;
    }

    static std::string text_of(std::string_view wire) {
        std::string text;
        while (wire.size() > 1) {
            const auto size = static_cast<std::size_t>(static_cast<unsigned char>(wire[0]));
            text += (text.empty() ? "" : ".") + std::string(wire.substr(1, size));
            wire.remove_prefix(size + 1);
        }
        return text;
    }

    // Returns "10.0.0.1 10.0.0.2 ttl 5", "none", or the problem.
    std::string ask(const std::string& name, Family family) {
        std::string text;
        bool is_done = false;
        lookup->addresses_of(name, family, [&](const Answer& answer) {
            is_done = true;
            for (const IpAddress& one : answer.addresses) {
                text += one.text() + " ";
            }
            text += !answer.problem.empty()    ? answer.problem
                    : answer.addresses.empty() ? "none"
                                               : fmt::format("ttl {}", answer.ttl.count() / 1000);
            loop.stop();
        });
        EXPECT_FALSE(is_done);  // never inside the call
        loop.run();
        EXPECT_TRUE(is_done);
        return text;
    }

    const renderer::TemporaryFolder temporary;
    AsioLoop loop;
    nameserver::DnsServer server{
        loop, {}, [this](std::string_view packet, nameserver::Carrier carrier) {
            return reply(packet, carrier);
        }};
    CaresOptions options;
    std::unique_ptr<Lookup> lookup;
    std::vector<Rr> zone;
    std::uint16_t rcode = 0;  // for names that exist
    int broken_bytes = 0;     // in each reply, but not in its id
    RandomSource random{5};
    std::set<std::string> silent;
    std::vector<std::string> asked;
    std::set<nameserver::Carrier> carriers;
};

TEST_F(CaresTest, GivesAllAddressesAndTheLeastTtl) {
    zone = {address("db.example.com", 60, "10.0.0.2"),
            address("db.example.com", 45, "10.0.0.1"),
            address("db.example.com", 20, "fd00::1"),
            alias("www.example.com", 300, "a.example.com"),
            alias("a.example.com", 7, "b.example.com"),
            address("b.example.com", 60, "10.0.0.3"),
            alias("short.example.com", 90, "b.example.com")};
    EXPECT_EQ(ask("db.example.com.", Family::V4), "10.0.0.2 10.0.0.1 ttl 45");
    EXPECT_EQ(ask("db.example.com.", Family::V6), "fd00::1 ttl 20");
    EXPECT_EQ(ask("www.example.com.", Family::V4), "10.0.0.3 ttl 7");
    EXPECT_EQ(ask("www.example.com.", Family::V6), "none");
    EXPECT_EQ(carriers, std::set<nameserver::Carrier>{nameserver::Carrier::Udp});
}

TEST_F(CaresTest, TellsNoAddressFromNoAnswer) {
    zone = {address("v4.example.com", 60, "10.0.0.2"), address("dead.example.com", 60, "10.0.0.2")};
    silent = {"dead.example.com"};
    EXPECT_EQ(ask("v4.example.com.", Family::V6), "none");
    EXPECT_EQ(ask("absent.example.com.", Family::V4), "none");
    rcode = 2;
    EXPECT_EQ(ask("v4.example.com.", Family::V4), "Could not contact DNS servers");
    rcode = 0;
    EXPECT_EQ(ask("v4.example.com.", Family::V4), "10.0.0.2 ttl 60");
    options.timeout = std::chrono::milliseconds(50);
    open();
    EXPECT_EQ(ask("dead.example.com.", Family::V4), "Timeout while contacting DNS servers");
}

TEST_F(CaresTest, ReadsLongAnswersByTcp) {
    std::string want;
    for (int i = 1; i <= 200; ++i) {
        zone.push_back(address("many.example.com", 60, fmt::format("10.0.0.{}", i)));
        want += fmt::format("10.0.0.{} ", i);
    }
    EXPECT_EQ(ask("many.example.com.", Family::V4), want + "ttl 60");
    EXPECT_EQ(carriers,
              (std::set<nameserver::Carrier>{nameserver::Carrier::Udp, nameserver::Carrier::Tcp}));
}

TEST_F(CaresTest, AsksForTheClustersNamesAsTheyAre) {
    zone = {address("web.shop.svc.cluster.local", 5, "10.96.0.1"),
            address("db.example.com", 60, "10.0.0.1")};
    EXPECT_EQ(ask("web.shop.svc.cluster.local", Family::V4), "10.96.0.1 ttl 5");
    EXPECT_EQ(ask("absent.shop.svc.cluster.local", Family::V4), "none");
    EXPECT_EQ(asked, (std::vector<std::string>{"web.shop.svc.cluster.local",
                                               "absent.shop.svc.cluster.local"}));
    asked.clear();
    EXPECT_EQ(ask("web", Family::V4), "10.96.0.1 ttl 5");
    EXPECT_EQ(asked, std::vector<std::string>{"web.shop.svc.cluster.local"});
    asked.clear();
    EXPECT_EQ(ask("db.example.com", Family::V4), "10.0.0.1 ttl 60");
    EXPECT_EQ(asked.back(), "db.example.com");
    EXPECT_EQ(asked.size(), 4U);  // preceded by each search domain
}

TEST_F(CaresTest, TakesAddressesAsNames) {
    EXPECT_EQ(ask("10.0.0.1", Family::V4), "10.0.0.1 ttl 0");
    EXPECT_EQ(ask("fd00::1", Family::V6), "fd00::1 ttl 0");
    EXPECT_TRUE(asked.empty());
}

// Any reply results in one answer or one problem, and the next lookup works.
TEST_F(CaresTest, SurvivesBrokenReplies) {
    zone = {alias("www.example.com", 60, "a.example.com"), address("a.example.com", 60, "10.0.0.1"),
            address("a.example.com", 60, "fd00::1")};
    options.timeout = std::chrono::milliseconds(10);  // a reply that matches no query runs into it
    open();
    std::set<std::string> got;
    for (int i = 0; i < 150; ++i) {
        broken_bytes = 1 + i % 4;
        got.insert(ask("www.example.com.", i % 2 == 0 ? Family::V4 : Family::V6));
    }
    EXPECT_GT(got.size(), 3U);
    broken_bytes = 0;
    options.timeout = std::chrono::seconds(10);
    open();
    EXPECT_EQ(ask("www.example.com.", Family::V4), "10.0.0.1 ttl 60");
}

TEST_F(CaresTest, EndsQuietlyWhileAsking) {
    silent = {"dead.example.com"};
    zone = {address("dead.example.com", 60, "10.0.0.2")};
    for (const Family family : {Family::V4, Family::V6}) {
        lookup->addresses_of("dead.example.com.", family, [](const Answer&) { FAIL(); });
    }
    lookup->addresses_of("10.0.0.1", Family::V4, [](const Answer&) { FAIL(); });
    lookup.reset();
    loop.after(std::chrono::milliseconds(50), [this] { loop.stop(); });
    loop.run();
}

}  // namespace
}  // namespace runtime::dns
