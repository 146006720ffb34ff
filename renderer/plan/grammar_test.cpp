#include "renderer/plan/grammar.h"

#include <gtest/gtest.h>

#include "renderer/kube/metadata_rules.h"
#include "renderer/kube/name_grammar.h"

namespace renderer::plan {
namespace {

TEST(DnsLabelError, NamesTheFirstRuleThatFails) {
    const std::pair<std::string, std::string> rows[] = {
        {"web", ""},
        {"Web-1", ""},
        {"123", ""},
        {std::string(63, 'a'), ""},
        {"", "is empty"},
        {std::string(64, 'a'), "is too long, max length is 63 bytes"},
        {"-edge", "must start with a letter or number"},
        {"*", "must start with a letter or number"},
        {"edge-", "must end with a letter or number"},
        {"my_host", "contains invalid character '_'"},
        {"b.example.org", "contains invalid character '.'"},
        {"a\tb", "contains invalid character '\\x09'"},
        {"käse", "contains invalid character 'Ã'"},
    };
    for (const auto& [label, want] : rows) {
        EXPECT_EQ(dns_label_error(label), want) << label;
    }
}

struct GrammarRow {
    std::string text;
    bool label, service, subdomain, port, key, value;
};

TEST(Grammar, KnowsWhatTheApiServerAccepts) {
    const GrammarRow rows[] = {
        {"web", true, true, true, true, true, true},
        {"1web", true, false, true, true, true, true},
        {"Web", false, false, false, false, true, true},
        {"", false, false, false, false, false, true},
        {"a.b", false, false, true, false, true, true},
        {"a..b", false, false, false, false, true, true},
        {"a-", false, false, false, false, false, false},
        {"a_b", false, false, false, false, true, true},
        {"a--b", true, true, true, false, true, true},
        {"80", true, false, true, false, true, true},
        {std::string(16, 'a'), true, true, true, false, true, true},
        {std::string(64, 'a'), false, false, true, false, false, false},
        {"example.org/x", false, false, false, false, true, false},
        {"Example.org/x", false, false, false, false, false, false},
        {"example.org/", false, false, false, false, false, false},
        {"/x", false, false, false, false, false, false},
        {"a/b/c", false, false, false, false, false, false},
    };
    for (const GrammarRow& row : rows) {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(is_dns1123_label(row.text), row.label);
        EXPECT_EQ(is_dns1035_label(row.text), row.service);
        EXPECT_EQ(is_dns1123_subdomain(row.text), row.subdomain);
        EXPECT_EQ(is_port_name(row.text), row.port);
        EXPECT_EQ(key_faults(row.text).empty(), row.key);
        EXPECT_EQ(is_label_value(row.text), row.value);
    }
    EXPECT_TRUE(is_dns1123_subdomain(std::string(64, 'a')));
    EXPECT_FALSE(is_dns_name(std::string(64, 'a')));
    EXPECT_TRUE(is_dns_name(std::string(63, 'a') + ".b"));
    EXPECT_FALSE(is_dns_name("a..b"));
    EXPECT_FALSE(is_dns1123_subdomain(std::string(254, 'a')));
}

TEST(IpFamilyOf, TellsAddressesFromOtherTexts) {
    EXPECT_EQ(ip_family("10.0.0.7"), classify::IpFamily::V4);
    EXPECT_EQ(ip_family("fd00:96::a"), classify::IpFamily::V6);
    EXPECT_EQ(ip_family("::ffff:1.2.3.4"), classify::IpFamily::V6);
    for (const std::string_view text :
         {"", "nas", "100.64.0.300", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4%eth0", "[::1]"}) {
        EXPECT_EQ(ip_family(text), std::nullopt) << text;
        EXPECT_EQ(ip_family(text, true), std::nullopt) << text;
    }
    EXPECT_EQ(ip_family("fe80::1%eth0"), std::nullopt);
    EXPECT_EQ(ip_family("fe80::1%eth0", true), classify::IpFamily::V6);
    EXPECT_EQ(ip_family("fe80::1%", true), std::nullopt);
    EXPECT_EQ(ip_family(std::string_view("1.2.3.4\0x", 9)), std::nullopt);
}

}  // namespace
}  // namespace renderer::plan
