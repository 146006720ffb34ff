#include "renderer/access/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/access/pairs.h"
#include "renderer/access/policy_testing.h"
#include "renderer/access/selectors.h"

namespace renderer::access {
namespace {

constexpr std::string_view kCommon = R"(
  "hosts": {"lab": "10.1.0.0/16"},
  "tagOwners": {"tag:web": [], "tag:ci": [], "tag:router": [], "tag:api": []},
  "postures": {"posture:new": ["node:tsVersion >= '1.80'"], "posture:mac": ["node:os == 'macos'"]},
)";
constexpr std::string_view kTwo = R"("groups": {"group:dev": ["a@x.com", "b@x.com"]}, )";

std::unique_ptr<Read> read_side(std::string_view rules) {
    const std::string_view groups =
        rules.find("\"groups\": {") == std::string_view::npos ? kTwo : "";
    return read_whole(fmt::format("{{{}{}{}}}", kCommon, groups, rules));
}

std::string change_text(const Change& change) {
    std::vector<std::string> who;
    for (const Who& one : change.who) {
        who.push_back(one.selector.text);
        if (!one.members.empty()) {
            who.back() += fmt::format("<{}>", fmt::join(one.members, " "));
        }
    }
    std::string text = fmt::format(
        "{}{}{}: {}", change.gains ? "+" : "-", change.is_certain ? "" : "?", fmt::join(who, " "),
        who_text(fmt::format("{}", fmt::join(change.what, " ")), change.parts, change.postures));
    if (!change.roles.empty()) {
        text += fmt::format(" as {}", fmt::join(change.roles, " "));
    }
    if (!change.before.empty()) {
        text += fmt::format(": {} -> {}", change.before, change.after);
    }
    if (!change.others.empty()) {
        text += fmt::format(" [{}]", fmt::join(change.others, ", "));
    }
    return text;
}

std::string change_text(const Changes& changes) {
    std::vector<std::string> texts;
    for (const Change& change : changes.changes) {
        texts.push_back(change_text(change));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

Changes compare_policies(const Cluster& cluster, const Read& base, const Read& head) {
    Evaluator before(*base.policy);
    Evaluator after(*head.policy);
    return compare_access(cluster, {*base.policy, before, base.sources}, cluster,
                          {*head.policy, after, head.sources}, {});
}

Changes compare_rules(std::string_view base, std::string_view head, const Device& device) {
    const auto old = read_side(base);
    const auto now = read_side(head);
    if (!old->policy || !now->policy) {
        ADD_FAILURE() << old->diagnostics.print(old->sources, false)
                      << now->diagnostics.print(now->sources, false);
        return {};
    }
    return compare_policies({.name = "", .devices = {device}, .egress = {}}, *old, *now);
}

Device every_port() {
    Device device = web();
    device.endpoints = {{.kind = Endpoint::Kind::AllPorts, .label = "every port"}};
    return device;
}

Device api() {
    Device device = web();
    device.name = "api";
    device.tags = {"tag:api"};
    device.api_tags = {"tag:api"};
    return device;
}

std::string grant(std::string_view from, std::string_view to, std::string_view traffic = "*",
                  std::string_view more = "") {
    return fmt::format(R"({{"src": ["{}"], "dst": ["{}"], "ip": ["{}"]{}}})", from, to, traffic,
                       more);
}

std::string grants(const std::vector<std::string>& all, std::string_view more = "") {
    return fmt::format("\"grants\": [{}]{}", fmt::join(all, ", "), more);
}

std::string role(std::string_view who, std::string_view capability) {
    return fmt::format(
        R"({{"src": ["{}"], "dst": ["tag:api"], "app": {{"tailscale.com/cap/kubernetes": [{{{}}}]}}}})",
        who, capability);
}

struct ChangeCase {
    std::string base, head;
    Device device;
    std::string_view want;
};

void expect(const std::vector<ChangeCase>& cases) {
    for (const ChangeCase& one : cases) {
        SCOPED_TRACE(one.base + "\n" + one.head);
        EXPECT_EQ(change_text(compare_rules(one.base, one.head, one.device)), one.want);
    }
}

TEST(CompareAccess, SaysWhoGainsAndLoses) {
    expect({
        {grants({}), grants({grant("group:dev", "tag:web")}), web(), "+group:dev: web:443"},
        {grants({grant("group:dev", "tag:web")}), grants({}), web(), "-group:dev: web:443"},
        {grants({grant("tag:ci", "tag:web")}), grants({grant("*", "tag:web")}), web(),
         "+*: web:443 [tag:ci]"},
        {grants({grant("*", "tag:web")}), grants({grant("group:dev", "tag:web")}), web(),
         "-*: web:443 [group:dev]"},
        {grants({}), grants({grant("autogroup:member", "tag:web"), grant("a@x.com", "tag:web")}),
         web(), "+autogroup:member: web:443"},
        {grants({}), grants({grant("tag:ci", "tag:web"), grant("*", "tag:web")}), web(),
         "+*: web:443"},
        {grants({}), grants({grant("tag:ci", "tag:web"), grant("group:dev", "tag:web")}), web(),
         "+group:dev tag:ci: web:443"},
    });
}

TEST(CompareAccess, IgnoresOtherWordsForTheSame) {
    expect({
        {grants({grant("group:dev", "tag:web")}),
         R"("groups": {"group:all": ["b@x.com", "a@x.com"]}, )" +
             grants({grant("group:all", "tag:web")}),
         web(), ""},
        {grants({grant("group:dev", "tag:web")}),
         grants({grant("a@x.com", "tag:web"), grant("b@x.com", "tag:web")}), web(), ""},
        {grants({grant("group:dev", "tag:web", "tcp:443")}),
         R"("acls": [{"action": "accept", "proto": "tcp", "src": ["group:dev"], "dst": ["tag:web:443"]}])",
         web(), ""},
        {grants({grant("*", "tag:web"), grant("group:dev", "tag:web")}),
         grants({grant("*", "tag:web")}), web(), ""},
        {grants({grant("tag:ci", "tag:web", "tcp:1-90")}),
         grants({grant("tag:ci", "tag:web", "tcp:1-50"), grant("tag:ci", "tag:web", "tcp:51-90")}),
         every_port(), ""},
        {grants({grant("tag:ci", "lab")}),
         grants({grant("tag:ci", "10.1.0.0/17"), grant("tag:ci", "10.1.128.0/17")}), router(), ""},
        {grants({grant("tag:ci", "tag:web", "*", R"(, "srcPosture": ["posture:new"])")}),
         grants({grant("tag:ci", "tag:web", "*", R"(, "srcPosture": ["posture:new"])")}), web(),
         ""},
    });
}

TEST(CompareAccess, ComparesMembers) {
    const std::string rule = grants({grant("group:dev", "tag:web")});
    expect({
        {rule, R"("groups": {"group:dev": ["a@x.com", "b@x.com", "c@x.com"]}, )" + rule, web(),
         "+group:dev<c@x.com>: web:443"},
        {rule, R"("groups": {"group:dev": ["b@x.com"]}, )" + rule, web(),
         "-group:dev<a@x.com>: web:443"},
        {grants({grant("a@x.com", "tag:web")}), rule, web(), "+group:dev<b@x.com>: web:443"},
        // Who is in a group of the identity provider is not known.
        {grants({grant("group:idp", "tag:web")}), grants({grant("a@x.com", "tag:web")}), web(),
         "+?a@x.com: web:443; -?group:idp: web:443"},
        {grants({grant("group:idp", "tag:web")}), grants({grant("group:idp", "tag:web")}), web(),
         ""},
    });
}

TEST(CompareAccess, ComparesPartsAndConditions) {
    const std::string if_new = R"(, "srcPosture": ["posture:new"])";
    const std::string if_either = R"(, "srcPosture": ["posture:new", "posture:mac"])";
    expect({
        {grants({grant("tag:ci", "tag:web", "tcp:80")}),
         grants({grant("tag:ci", "tag:web", "tcp:80-90")}), every_port(),
         "+tag:ci: web:every port (tcp:80-90) [tag:ci (tcp:80)]"},
        {grants({grant("tag:ci", "tag:web")}), grants({grant("tag:ci", "tag:web", "tcp:80")}),
         every_port(), "-tag:ci: web:every port [tag:ci (tcp:80)]"},
        {grants({grant("tag:ci", "lab")}), grants({grant("tag:ci", "10.0.0.0/8")}), router(),
         "+tag:ci: router:10.0.0.0/8 [tag:ci (lab)]"},
        {grants({grant("tag:ci", "tag:web", "*", if_new)}), grants({grant("tag:ci", "tag:web")}),
         web(), "+?tag:ci: web:443 [tag:ci if posture:new]"},
        {grants({grant("tag:ci", "tag:web", "*", if_new)}),
         grants({grant("tag:ci", "tag:web", "*", if_either)}), web(),
         "+?tag:ci: web:443 if posture:new or posture:mac [tag:ci if posture:new]"},
        {grants({grant("tag:ci", "tag:web", "*", if_either)}),
         grants({grant("tag:ci", "tag:web", "*", if_new)}), web(),
         "-?tag:ci: web:443 if posture:new or posture:mac [tag:ci if posture:new]"},
    });
}

TEST(CompareAccess, KeepsTheInternetApart) {
    Device funnel = web();
    funnel.endpoints.front().is_funnel = true;
    const std::string attributes = R"(, "nodeAttrs": [{"target": ["*"], "attr": ["funnel"]}])";
    expect({
        {grants({grant("*", "tag:web")}), grants({grant("*", "tag:web")}, attributes), funnel,
         "+autogroup:internet: web:443 [*]"},
        {grants({}, attributes), grants({grant("tag:ci", "tag:web")}, attributes), funnel, ""},
        {grants({}, attributes), grants({grant("tag:ci", "tag:web")}), funnel,
         "-autogroup:internet: web:443 [tag:ci]"},
    });
}

TEST(CompareAccess, ComparesRolesInKubernetes) {
    const std::string masters = R"("impersonate": {"groups": ["system:masters"]})";
    const std::string recorded = masters + R"(, "recorder": ["tag:ci"])";
    expect({
        {grants({}), grants({role("tag:ci", masters)}), api(), "+tag:ci: api as system:masters"},
        {grants({role("group:dev", masters)}), grants({role("a@x.com", masters)}), api(),
         "-group:dev<b@x.com>: api as system:masters"},
        {grants({role("tag:ci", recorded)}), grants({role("tag:ci", masters)}), api(),
         "+tag:ci: api: recorded by tag:ci -> not recorded"},
        {grants({role("tag:ci", recorded)}),
         grants({role("tag:ci", recorded + R"(, "enforceRecorder": true)")}), api(),
         "+tag:ci: api: recorded by tag:ci -> recorded by tag:ci or refused"},
    });
}

TEST(CompareAccess, SumsUpWhatTheSameOnesGain) {
    const auto old = read_side(grants({}));
    const auto now = read_side(grants({grant("group:dev", "tag:web"), grant("tag:ci", "tag:web")}));
    Cluster cluster;
    for (int i = 0; i < 100; ++i) {
        cluster.devices.push_back(web());
        cluster.devices.back().name = fmt::format("web-{:02}", i);
    }
    const Changes changes = compare_policies(cluster, *old, *now);
    ASSERT_EQ(changes.changes.size(), 1U);
    EXPECT_EQ(changes.changes.front().who.size(), 2U);
    EXPECT_EQ(changes.changes.front().what.size(), 100U);
}

TEST(CompareAccess, NamesWhatItDoesNotJudge) {
    const auto differences = [](const std::string& base, const std::string& head) {
        const auto old = read_whole(base);
        const auto now = read_whole(head);
        const auto text = [](const Read& read) {
            return PolicyText{read.root, read.sources.text(0), *read.policy};
        };
        return fmt::format("{}", fmt::join(unjudged_differences(text(*old), text(*now)), " "));
    };
    EXPECT_EQ(differences(R"({"ssh": []})", R"({"ssh": [/* none */],})"), "");
    EXPECT_EQ(differences("{}", R"({"ssh": []})"), "ssh");
    EXPECT_EQ(differences(R"({"future": 1})", R"({"future": 2})"), "future");
    EXPECT_EQ(differences(R"({"postures": {"posture:x": ["node:os == 'linux'"]}})",
                          R"({"postures": {"posture:x": ["node:os != 'linux'"]}})"),
              "posture:x");
}

TEST(CompareAccess, KnowsWhomAChangeConcerns) {
    const auto read = read_side(grants({}));
    const SelectorReader selectors(read->root);
    const auto is_for = [&](std::string_view gained, std::string_view who) {
        Change change;
        change.who.push_back({.selector = *selectors.parse(gained).selector});
        return concerns(change, *selectors.parse(who).selector, *read->policy);
    };
    EXPECT_TRUE(is_for("*", "tag:ci"));
    EXPECT_TRUE(is_for("tag:ci", "*"));
    EXPECT_TRUE(is_for("group:dev", "a@x.com"));
    EXPECT_TRUE(is_for("a@x.com", "group:dev"));
    EXPECT_TRUE(is_for("a@x.com", "autogroup:member"));
    EXPECT_TRUE(is_for("group:idp", "a@x.com"));  // it may be one of them
    EXPECT_TRUE(is_for("autogroup:internet", "autogroup:internet"));
    EXPECT_FALSE(is_for("tag:ci", "tag:web"));
    EXPECT_FALSE(is_for("*", "autogroup:internet"));
    EXPECT_FALSE(is_for("a@x.com", "tag:ci"));
}

Device named(std::string name, std::string parent) {
    return {.name = std::move(name), .parent = std::move(parent)};
}

TEST(PairDevices, PrefersTheParent) {
    const std::vector<Device> before = {named("a", "Service/x/a"),    named("b-0", "ProxyGroup/b"),
                                        named("b-1", "ProxyGroup/b"), named("c", "Service/x/c"),
                                        named("d", "Service/x/d"),    named("gone", "Service/x/e")};
    const std::vector<Device> after = {named("other", "Service/x/a"), named("b-1", "ProxyGroup/b"),
                                       named("c", "Service/x/renamed"), named("d", "Ingress/x/d"),
                                       named("new", "Service/x/f")};
    std::vector<std::string> pairs;
    for (const DevicePair& pair :
         pair_devices(before, after, {{"Service/x/c", "Service/x/renamed"}})) {
        pairs.push_back(fmt::format("{}={}", pair.before == nullptr ? "" : pair.before->name,
                                    pair.after == nullptr ? "" : pair.after->name));
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(pairs, " ")), "b-1=b-1 c=c a=other d=d b-0= gone= =new");
}

}  // namespace
}  // namespace renderer::access
