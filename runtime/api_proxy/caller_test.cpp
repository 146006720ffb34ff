#include "runtime/api_proxy/caller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::api_proxy {
namespace {

// The WhoIs answer for a device at 100.64.0.7.
std::string whois(std::string_view capabilities, std::string_view tags = "",
                  std::string_view login = "a@b.example") {
    return fmt::format(
        R"({{"Node":{{"Name":"box.t.ts.net.","Addresses":["100.64.0.7/32","fd7a::7/128"],"Tags":[{}]}},)"
        R"("UserProfile":{{"LoginName":"{}"}},"CapMap":{}}})",
        tags, login, capabilities);
}

std::string modern(std::string_view rules) {
    return fmt::format(R"({{"tailscale.com/cap/kubernetes":[{}]}})", rules);
}

std::string legacy(std::string_view rules) {
    return fmt::format(R"({{"https://tailscale.com/cap/kubernetes":[{}]}})", rules);
}

// Returns "USER GROUP,GROUP", or the message.
std::string read(std::string_view answer, std::string_view source = "100.64.0.7") {
    auto caller = read_caller(answer, IpAddress::parse(source).value());
    return caller ? fmt::format("{} {}", caller->user, fmt::join(caller->groups, ","))
                  : caller.error().diagnostic.message;
}

TEST(CallerTest, IsImpersonatedAsTheOperatorDoes) {
    EXPECT_EQ(read(whois(modern(R"({"impersonate":{"groups":["g1","g2"]}},)"
                                R"({"impersonate":{"groups":["g1","g3"]}},)"
                                R"({"impersonate":{"groups":["g4"]}},)"
                                R"({"impersonate":{"groups":["g2"]}})"))),
              "a@b.example g1,g2,g3,g4");
    EXPECT_EQ(read(whois("null")), "a@b.example ");
    EXPECT_EQ(read(whois("{}")), "a@b.example ");
    EXPECT_EQ(read(whois(legacy(R"({"impersonate":{"groups":["old"]}})"))), "a@b.example old");
    EXPECT_EQ(read(whois(modern("{}"), R"("tag:a","tag:b")")), "box.t.ts.net tag:a,tag:b");
    EXPECT_EQ(read(whois(modern(R"({"impersonate":{"groups":["g"]}})"), R"("tag:a")")),
              "box.t.ts.net g");
    EXPECT_EQ(read(whois(modern("null"))), "a@b.example ");
    EXPECT_EQ(read(whois(modern(R"({"Impersonate":{"GROUPS":["g"]},"future":{"x":1}})"))),
              "a@b.example g");
    EXPECT_EQ(read(whois("{}"), "fd7a::7"), "a@b.example ");
}

TEST(CallerTest, LegacyCountsOnlyWithoutTheOther) {
    const std::string both =
        R"({"tailscale.com/cap/kubernetes":[{}],)"
        R"("https://tailscale.com/cap/kubernetes":[{"impersonate":{"groups":["old"]}}]})";
    EXPECT_EQ(read(whois(both)), "a@b.example ");
}

TEST(CallerTest, AGrantThatCannotBeReadIsNoLesserGrant) {
    const std::string begin =
        R"(the grant of "tailscale.com/cap/kubernetes" for you is malformed: )";
    struct Row {
        std::string rules, want;
    };
    const std::vector<Row> rows = {
        {R"("x")", "a rule is a string, not a map"},
        {R"({"impersonate":[]})", "a rule is a list, not a map"},
        {R"({"impersonate":{"groups":"g"}})", R"("groups" is a string, not a list)"},
        {R"({"impersonate":{"groups":["g",1]}})", R"("groups" holds a number, not only strings)"},
        {R"({"impersonate":{"groups":["g",null]}})", R"("groups" holds null, not only strings)"},
        {R"({"impersonate":{"groups":[""]}})", R"(group "")"},
        {R"({"impersonate":{"groups":[" g"]}})", R"(group " g")"},
        {R"({"impersonate":{"groups":["g\r\nX: y"]}})", "group \"g\r\nX: y\""},
        {R"({"enforceRecorder":"yes"})", R"("enforceRecorder" is a string, not a boolean)"},
        {R"({"enableEvents":1})", R"("enableEvents" is a number, not a boolean)"},
        {R"({"recorderAddrs":["here"]})", R"(recorder address "here")"},
        {R"({"recorder":"tag:r"})", R"("recorder" is a string, not a list)"},
        {R"({"enforceRecorder":true,"EnforceRecorder":false})", R"(key "EnforceRecorder")"},
        {R"({"impersonate":{"groups":[],"Groups":["g"]}})", R"(key "Groups")"},
        {R"({"enforceRecorder":true,"enforceRecorder":false})", ""},
        {R"({"group\u017F":[]})", "key \"group\xC5\xBF\""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.rules);
        const std::string found = read(whois(modern(row.rules)));
        // A rule with two equal keys is not JSON for our parser, so the answer names no device.
        EXPECT_EQ(found,
                  row.want.empty() ? "tailscaled's answer holds no device" : begin + row.want);
    }
    EXPECT_EQ(read(whois(R"({"tailscale.com/cap/kubernetes":{}})")),
              begin + "it is a map, not a list of rules");
    EXPECT_EQ(read(whois("[]")), begin + "invalid capability map of tailscaled");
    EXPECT_EQ(read(whois(legacy(R"({"impersonate":1})"))),
              R"(the grant of "https://tailscale.com/cap/kubernetes" for you is malformed: )"
              "a rule is a number, not a map");
}

TEST(CallerTest, IsNoOneWhenTailscaledDoesNotSay) {
    EXPECT_EQ(read(""), "tailscaled's answer holds no device");
    EXPECT_EQ(read("null"), "tailscaled's answer holds no device");
    EXPECT_EQ(read("{}"), "tailscaled's answer holds no device");
    EXPECT_EQ(read(R"({"Node":null})"), "tailscaled's answer holds no device");
    EXPECT_EQ(read(whois("{}"), "100.64.0.8"),
              "100.64.0.8 is not an address of the device that tailscaled names");
    EXPECT_EQ(read(whois("{}", "", "")), "the device has no user with a login name");
    EXPECT_EQ(read(whois("{}", "", R"(a\r\nX: y)")), "the device has no user with a login name");
    EXPECT_EQ(read(whois("{}", "", " admin")), "the device has no user with a login name");
    EXPECT_EQ(read(whois("{}", "1")), "invalid tag in tailscaled's answer");
    EXPECT_EQ(read(whois("{}", R"("tag:a\n")")), "invalid tag in tailscaled's answer");
    EXPECT_EQ(read(R"({"Node":{"Addresses":["100.64.0.7/32"],"Tags":["tag:a"]}})"),
              "the tagged device has no name");
    EXPECT_EQ(read(R"({"Node":{"Addresses":["100.64.0.7/32"],"Tags":"tag:a"}})"),
              "tailscaled's answer has no list of tags");
    EXPECT_EQ(read(R"({"Node":{"Addresses":["100.64.0.0/24"]}})"),
              "100.64.0.7 is not an address of the device that tailscaled names");
}

TEST(CallerTest, ReadsWhatIsRecorded) {
    auto caller =
        read_caller(whois(modern(R"({"recorder":["tag:r"],"recorderAddrs":["100.64.0.9:80"]},)"
                                 R"({"enforceRecorder":true,"recorderAddrs":["[fd7a::9]:80"]},)"
                                 R"({"enableEvents":true})")),
                    IpAddress::parse("100.64.0.7").value());
    ASSERT_TRUE(caller);
    EXPECT_EQ(fmt::format("{}", fmt::join(caller->grants.recorders, " ")),
              "100.64.0.9:80 [fd7a::9]:80");
    EXPECT_TRUE(caller->grants.enforces_recorder);
    EXPECT_TRUE(caller->grants.records_events);
}

TEST(CallerTest, MayGoOnWithoutLosingAnything) {
    const Caller then{.user = "a", .groups = {"g", "h"}};
    EXPECT_TRUE(still_allows(then, then));
    EXPECT_TRUE(still_allows({.user = "a", .groups = {"h", "g", "i"}}, then));
    EXPECT_FALSE(still_allows({.user = "a", .groups = {"h"}}, then));
    EXPECT_FALSE(still_allows({.user = "b", .groups = {"g", "h"}}, then));
    EXPECT_FALSE(still_allows(
        {.user = "a", .groups = {"g", "h"}, .grants = {.enforces_recorder = true}}, then));
}

}  // namespace
}  // namespace runtime::api_proxy
