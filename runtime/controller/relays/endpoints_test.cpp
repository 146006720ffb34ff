#include "runtime/controller/relays/endpoints.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace runtime::controller {
namespace {

using Texts = std::vector<std::string>;

renderer::Value endpoint_json(const std::string& text) {
    return std::move(*renderer::read_json(text));
}

TEST(Endpoints, AnAddressHasOneSpelling) {
    EXPECT_EQ(ip_text("192.0.2.1"), "192.0.2.1");
    EXPECT_EQ(ip_text("2001:DB8:0:0::1"), "2001:db8::1");
    for (const char* text :
         {"", "192.0.2", "192.0.2.256", "192.0.02.1", "fe80::1%eth0", "web.example"}) {
        EXPECT_EQ(ip_text(text), "") << text;
    }
    EXPECT_EQ(ip_text(std::string_view("192.0.2.1\0x", 11)), "");
}

TEST(Endpoints, ReadsWhatItWrites) {
    for (const char* text : {"192.0.2.1:41641", "[2001:db8::1]:1", "192.0.2.1:0"}) {
        std::string problem;
        const auto endpoint = parse_endpoint(text, problem);
        ASSERT_TRUE(endpoint.has_value()) << text << ": " << problem;
        EXPECT_EQ(endpoint_text(*endpoint), text);
    }
}

TEST(Endpoints, SaysWhatIsWrongInTheWordsOfTheOperator) {
    const std::pair<const char*, const char*> kCases[] = {
        {"192.0.2.1", "not an ip:port"},
        {":1", "no IP"},
        {"192.0.2.1:", "no port"},
        {"[2001:db8::1:1", "missing ]"},
        {"192.0.2.1:65536", "invalid port \"65536\" parsing \"192.0.2.1:65536\""},
        {"192.0.2.1:-1", "invalid port \"-1\" parsing \"192.0.2.1:-1\""},
        {"192.0.2.300:1", "ParseAddr(\"192.0.2.300\"): IPv4 field has value >255"},
        {"192.0.02.1:1", "ParseAddr(\"192.0.02.1\"): IPv4 field has octet with leading zero"},
        {"[2001:db8::1::]:1", "ParseAddr(\"2001:db8::1::\"): unable to parse IP"},
        {"web.example:1", "ParseAddr(\"web.example\"): unable to parse IP"},
        {"[192.0.2.1]:1",
         "invalid ip:port \"[192.0.2.1]:1\", square brackets can only be used "
         "with IPv6 addresses"},
        {"2001:db8::1:1",
         "invalid ip:port \"2001:db8::1:1\", IPv6 addresses must be surrounded "
         "by square brackets"}};
    for (const auto& [text, wanted] : kCases) {
        std::string problem;
        EXPECT_FALSE(parse_endpoint(text, problem).has_value()) << text;
        EXPECT_EQ(problem, wanted);
    }
}

TEST(Endpoints, OfAListTheFirstProblemCounts) {
    const std::pair<const char*, const char*> kCases[] = {
        {R"([])", ""},
        {R"(["192.0.2.1:1","[2001:db8::1]:1"])", ""},
        {R"(["192.0.2.1:1","192.0.2.300:1"])",
         "spec.staticEndpoints[1]: \"192.0.2.300:1\" is not a valid address:port: "
         "ParseAddr(\"192.0.2.300\"): IPv4 field has value >255"},
        {R"(["[fe80::1%eth0]:1"])",
         "spec.staticEndpoints[0]: \"[fe80::1%eth0]:1\" must not carry an IPv6 zone"},
        {R"(["192.0.2.1:0"])", "spec.staticEndpoints[0]: \"192.0.2.1:0\" must not use port 0"},
        {R"(["[2001:db8::1]:1","192.0.2.1:1","[2001:DB8:0::1]:2"])",
         "spec.staticEndpoints[2]: \"[2001:DB8:0::1]:2\" repeats the address of "
         "spec.staticEndpoints[0]"},
        {R"({"a":1})", ""}};
    for (const auto& [list, wanted] : kCases) {
        EXPECT_EQ(static_endpoints_problem(endpoint_json(list)), wanted);
    }
}

TEST(Endpoints, ALoadBalancerHasAddressesOrHostnames) {
    const auto decode = [](const std::string& ingress) {
        return decode_load_balancer(
            endpoint_json(R"({"status":{"loadBalancer":)" + ingress + "}}"));
    };
    EXPECT_FALSE(decode("{}").has_value());
    EXPECT_FALSE(decode(R"({"ingress":[]})").has_value());
    EXPECT_FALSE(decode(R"({"ingress":[{"ip":"fe80::1%eth0"},{}]})").has_value());
    const auto both = decode(
        R"({"ingress":[{"hostname":"a.example"},{"ip":"2001:DB8::1","hostname":"b.example"}]})");
    ASSERT_TRUE(both.has_value());
    EXPECT_EQ(both->addresses, Texts{"2001:db8::1"});
    EXPECT_EQ(both->hostnames, Texts{"a.example"});
}

TEST(Endpoints, OfTheBalancerAddressesComeFirstThenHostnames) {
    const Texts former{"198.51.100.9"};
    const LoadBalancer addresses{.addresses = {"192.0.2.2", "192.0.2.10", "192.0.2.2"},
                                 .hostnames = {"a.example"}};
    const LoadBalancer names{.addresses = {}, .hostnames = {"a.example", "b.example"}};
    struct Case {
        const char* name;
        const LoadBalancer* balancer;
        KnownHosts hosts;
        Texts former, wanted;
    };
    const Case kCases[] = {
        {"no balancer", nullptr, {{"a.example", {"192.0.2.1"}}}, former, {}},
        {"addresses",
         &addresses,
         {{"a.example", {"192.0.2.1"}}},
         former,
         {"192.0.2.10", "192.0.2.2"}},
        {"the first that is known",
         &names,
         {{"a.example", {"192.0.2.2", "192.0.2.1"}}, {"b.example", {"192.0.2.3"}}},
         former,
         {"192.0.2.1", "192.0.2.2"}},
        {"the first has failed",
         &names,
         {{"a.example", {}}, {"b.example", {"192.0.2.3"}}},
         {},
         {"192.0.2.3"}},
        {"the first has failed, and others were known",
         &names,
         {{"a.example", {}}, {"b.example", {"192.0.2.3"}}},
         former,
         former},
        {"the first waits", &names, {{"b.example", {"192.0.2.3"}}}, {}, {}},
        {"the first waits, and others were known",
         &names,
         {{"b.example", {"192.0.2.3"}}},
         former,
         former},
        {"all have failed", &names, {{"a.example", {}}, {"b.example", {}}}, {}, {}}};
    for (const Case& one : kCases) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(balancer_addresses(one.balancer, one.hosts, one.former), one.wanted);
    }
}

TEST(Endpoints, ThePortOfAStaticOneCounts) {
    const std::vector<Endpoint> wanted{
        {"192.0.2.1", 41641}, {"192.0.2.20", 7}, {"192.0.2.3", 9}, {"2001:db8::1", 8}};
    EXPECT_EQ(merged_endpoints({"192.0.2.20", "192.0.2.1"}, 41641,
                               {{"2001:db8::1", 8}, {"192.0.2.20", 7}, {"192.0.2.3", 9}}),
              wanted);
}

}  // namespace
}  // namespace runtime::controller
