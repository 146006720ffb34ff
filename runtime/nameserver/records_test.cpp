#include "runtime/nameserver/records.h"

#include <gtest/gtest.h>

#include "runtime/nameserver/message.h"

namespace runtime::nameserver {
namespace {

using namespace std::string_literals;

const Addresses* find(const Records& records, std::string_view name) {
    return records.find(*wire_name(name));
}

std::string records_problem(std::string_view text) {
    std::vector<std::string> skipped;
    auto records = Records::read(text, skipped);
    return records.has_value() ? "none" : records.error().diagnostic.message;
}

TEST(Records, ReadsBothFamilies) {
    std::vector<std::string> skipped;
    const auto records = Records::read(
        R"({"version":"v1alpha1","ip4":{"Db.tail1.ts.net.":["10.0.0.2","10.0.0.1","10.0.0.2"]},)"
        R"("ip6":{"db.tail1.ts.net":["fd00::1"],"six.ts.net":["fd00::2"]}})",
        skipped);
    ASSERT_TRUE(records.has_value());
    EXPECT_EQ(skipped, std::vector<std::string>());
    EXPECT_EQ(records->size(), 2U);
    const Addresses* both = find(*records, "db.tail1.ts.net");
    ASSERT_NE(both, nullptr);
    EXPECT_EQ(both->ip4, (std::vector{"\x0a\x00\x00\x01"s, "\x0a\x00\x00\x02"s}));
    EXPECT_EQ(both->ip6, std::vector{"\xfd"s + std::string(14, '\0') + "\x01"});
    ASSERT_NE(find(*records, "six.ts.net"), nullptr);
    EXPECT_TRUE(find(*records, "six.ts.net")->ip4.empty());
}

TEST(Records, SpellingsOfOneNameHaveTheirAddressesTogether) {
    std::vector<std::string> skipped;
    const auto records =
        Records::read(R"({"version":"v1alpha1","ip4":{"DB.tail1.ts.net":["10.0.0.2","10.0.0.3"],)"
                      R"("db.tail1.ts.net":["10.0.0.1","10.0.0.2"]}})",
                      skipped);
    ASSERT_TRUE(records.has_value());
    EXPECT_EQ(records->size(), 1U);
    EXPECT_EQ(find(*records, "db.tail1.ts.net")->ip4,
              (std::vector{"\x0a\x00\x00\x01"s, "\x0a\x00\x00\x02"s, "\x0a\x00\x00\x03"s}));
}

TEST(Records, NamesAboveANameAreThere) {
    std::vector<std::string> skipped;
    const auto records =
        Records::read(R"({"version":"v1alpha1","ip4":{"a.tail1.ts.net":["10.0.0.1"]}})", skipped);
    ASSERT_TRUE(records.has_value());
    for (const std::string_view name : {"tail1.ts.net", "ts.net"}) {
        const Addresses* found = find(*records, name);
        ASSERT_NE(found, nullptr) << name;
        EXPECT_TRUE(found->ip4.empty() && found->ip6.empty());
    }
    EXPECT_EQ(find(*records, "tail2.ts.net"), nullptr);
    EXPECT_EQ(find(*records, "b.a.tail1.ts.net"), nullptr);
}

TEST(Records, SkipsOnlyWhatIsWrong) {
    std::vector<std::string> skipped;
    const auto records = Records::read(
        R"({"version":"v1alpha1","ip4":{"a b.ts.net":["10.0.0.1"],"db.example.com":["10.0.0.1"],)"
        R"("x.ts.net":"10.0.0.1","y.ts.net":["10.0.0.256","fd00::1",7,"10.0.0.1"]},)"
        R"("ip6":{"y.ts.net":["fe80::1%eth0"]},"later":1})",
        skipped);
    ASSERT_TRUE(records.has_value());
    EXPECT_EQ(skipped, (std::vector<std::string>{
                           "\"a b.ts.net\" is not a name", "\"db.example.com\" is not below ts.net",
                           "\"x.ts.net\" has a string, not a list",
                           "\"10.0.0.256\" of \"y.ts.net\" is not an IPv4 address",
                           "\"fd00::1\" of \"y.ts.net\" is not an IPv4 address",
                           "\"a number\" of \"y.ts.net\" is not an IPv4 address",
                           "\"fe80::1%eth0\" of \"y.ts.net\" is not an IPv6 address"}));
    EXPECT_EQ(find(*records, "y.ts.net")->ip4.size(), 1U);
    EXPECT_EQ(records->size(), 1U);
}

TEST(Records, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(records_problem(R"({"version":"v1alpha1"})"), "none");
    EXPECT_EQ(records_problem(R"({"version":"v1","ip4":{}})"),
              "no records of version \"v1alpha1\"");
    EXPECT_EQ(records_problem("[]"), "no records of version \"v1alpha1\"");
    EXPECT_EQ(records_problem(R"({"version":"v1alpha1","ip4":[]})"),
              "\"ip4\" is a list, not a map");
    EXPECT_NE(records_problem("{"), "none");
    EXPECT_NE(records_problem(""), "none");
}

}  // namespace
}  // namespace runtime::nameserver
