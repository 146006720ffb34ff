#include "renderer/access/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/access/policy_testing.h"
#include "renderer/access/policy_tests.h"
#include "renderer/access/selectors.h"

namespace renderer::access {
namespace {

constexpr std::string_view kNames = R"(
  "groups": {"group:dev": ["alice@example.com", "bob@example.com"], "group:ops": ["bob@example.com"]},
  "hosts": {"office": "10.0.0.0/16", "db": "100.64.3.4"},
  "tagOwners": {"tag:web": [], "tag:ci": [], "tag:router": [], "tag:api": [], "tag:exit": []},
  "postures": {"posture:new": ["node:tsVersion >= '1.80'"]},
  "ipsets": {
    "ipset:lab": ["10.1.0.0/16", "remove 10.1.9.0/24", "host:office"],
    "ipset:public": ["autogroup:internet", "remove 1.1.1.1"],
    "ipset:loop": ["ipset:loop"],
  },
)";

std::unique_ptr<Read> read_rules(std::string_view rules) {
    return read_whole(fmt::format("{{{}{}}}", kNames, rules));
}

Device exit_node() {
    return {.name = "exit",
            .parent = "Connector/exit",
            .tags = {"tag:exit"},
            .endpoints = {{.kind = Endpoint::Kind::ExitNode, .label = "exit node"}}};
}

Device service() {
    Device device = web();
    device.name = "svc:web";
    return device;
}

// Returns who may reach the first endpoint, as text.
std::string who(std::string_view rules, const Device& device) {
    const auto read = read_rules(rules);
    if (!read->policy) {
        return read->diagnostics.print(read->sources, false);
    }
    Evaluator evaluator(*read->policy);
    std::vector<std::string> names;
    for (const Rule* rule : evaluator.unknown_rules(device.endpoints.front())) {
        names.push_back("?" + rule->sources.front().text);
    }
    for (const Access& access : evaluator.who_reaches(device, device.endpoints.front())) {
        names.push_back((access.match == Match::Unknown ? "?" : "") +
                        who_text(access.who->text, access.parts, access.postures));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

struct Case {
    std::string_view rules;
    Device device;
    std::string_view want;
};

TEST(Evaluate, SaysWhoReachesAnEndpoint) {
    const std::vector<Case> cases = {
        {"", web(), "*"},  // a policy without rules allows all
        {R"("acls": [])", web(), ""},
        {R"("acls": [{"action": "accept", "src": ["group:dev", "alice@example.com"], "dst": ["tag:web:443"]}])",
         web(), "alice@example.com, group:dev"},
        {R"("acls": [{"action": "accept", "users": ["group:dev"], "ports": ["tag:web:80,400-450"]}])",
         web(), "group:dev"},
        {R"("acls": [{"action": "accept", "src": ["group:dev"], "dst": ["tag:web:80", "tag:ci:443"]}])",
         web(), ""},
        {R"("acls": [{"action": "accept", "proto": "udp", "src": ["group:dev"], "dst": ["tag:web:443"]}])",
         web(), ""},
        {R"("acls": [{"action": "accept", "proto": "6", "src": ["*"], "dst": ["*:*"]}])", web(),
         "*"},
        {R"("grants": [{"src": ["tag:ci"], "dst": ["tag:web"], "ip": ["tcp:443", "udp:1"]}])",
         web(), "tag:ci"},
        {R"("grants": [{"src": ["tag:ci"], "dst": ["tag:web"], "ip": ["sctp:*"]}])", web(), ""},
        {R"("ssh": [{"action": "accept", "src": ["*"], "dst": ["tag:web"], "users": ["root"]}], "acls": [])",
         web(), ""},
        {R"("grants": [{"src": ["tag:ci"], "dst": ["tag:web"], "app": {"example.com/cap/x": []}}])",
         web(), ""},
        {R"("grants": [{"src": ["tag:ci"], "dst": ["autogroup:tagged"], "ip": ["443"]}])", web(),
         "tag:ci"},
        {R"("grants": [{"src": ["tag:ci"], "dst": ["autogroup:member", "autogroup:self", "alice@example.com"], "ip": ["*"]}])",
         web(), ""},
        {R"("grants": [{"src": ["group:dev"], "dst": ["tag:web"], "ip": ["*"], "srcPosture": ["posture:new"]}])",
         web(), "group:dev if posture:new"},
        {R"("defaultSrcPosture": ["posture:new"], "grants": [{"src": ["group:dev"], "dst": ["tag:web"], "ip": ["*"]}])",
         web(), "group:dev if posture:new"},
        // The address of a device is not known, unless it may be any.
        {R"("grants": [{"src": ["group:dev"], "dst": ["db"], "ip": ["*"]}])", web(), "?group:dev"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["100.64.0.0/10"], "ip": ["*"]}])", web(),
         "group:dev"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["office", "192.168.0.0/16"], "ip": ["*"]}])",
         web(), ""},
        // Tailscale Services.
        {R"("grants": [{"src": ["group:dev"], "dst": ["svc:web"], "ip": ["tcp:443"]}])", service(),
         "group:dev"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["svc:other"], "ip": ["tcp:443"]}])",
         service(), ""},
        {R"("grants": [{"src": ["group:dev"], "dst": ["svc:web"], "ip": ["*"]}])", web(), ""},
        {R"("grants": [{"src": ["group:dev"], "dst": ["autogroup:tagged"], "ip": ["*"]}])",
         service(), "?group:dev"},
        // Routes.
        {R"("grants": [{"src": ["group:dev"], "dst": ["office"], "ip": ["tcp:22"]}])", router(),
         "group:dev (office tcp:22)"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["10.0.0.0/8"], "ip": ["*"]}])", router(),
         "group:dev"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["ipset:lab"], "ip": ["*"]}])", router(),
         "group:dev (ipset:lab)"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["tag:router"], "ip": ["*"]}])", router(), ""},
        {R"("grants": [{"src": ["group:dev"], "dst": ["10.0.0.0/8"], "ip": ["*"], "via": ["tag:exit"]}])",
         router(), ""},
        {R"("grants": [{"src": ["group:dev"], "dst": ["10.0.0.0/8"], "ip": ["*"], "via": ["tag:router"]}])",
         router(), "group:dev"},
        // Exit nodes.
        {R"("grants": [{"src": ["group:dev"], "dst": ["autogroup:internet"], "ip": ["*"]}])",
         exit_node(), "group:dev"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["ipset:public"], "ip": ["*"]}])", exit_node(),
         "group:dev (ipset:public)"},
        {R"("grants": [{"src": ["group:dev"], "dst": ["tag:exit", "office"], "ip": ["*"]}])",
         exit_node(), ""},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(who(one.rules, one.device), one.want) << one.rules;
    }
}

TEST(Evaluate, SaysFunnelOnlyIfThePolicyAllowsIt) {
    Device device = web();
    device.endpoints.front().is_funnel = true;
    EXPECT_EQ(who(R"("acls": [])", device), "");
    EXPECT_EQ(
        who(R"("acls": [], "nodeAttrs": [{"target": ["tag:ci"], "attr": ["funnel"]}])", device),
        "");
    constexpr std::string_view kFunnel =
        R"("acls": [], "nodeAttrs": [{"target": ["tag:web"], "attr": ["funnel"]}])";
    EXPECT_EQ(who(kFunnel, device), "autogroup:internet");
    const auto read = read_rules(kFunnel);
    Evaluator evaluator(*read->policy);
    EXPECT_EQ(evaluator.reaches({.kind = SelectorKind::User, .text = "eve@example.org"}, device,
                                device.endpoints.front()),
              Match::Yes);
    device.endpoints.front() = {
        .label = "41641/udp", .protocol = kUdp, .port = 41641, .is_public = true};
    EXPECT_EQ(who(R"("acls": [])", device), "autogroup:internet");
}

std::string_view word(Match match) {
    constexpr std::string_view kWords[] = {"no", "unknown", "part", "yes"};
    return kWords[static_cast<int>(match)];
}

TEST(Evaluate, SaysWhetherSomeoneReachesIt) {
    struct Asked {
        std::string_view source, who, want;
    };
    for (const Asked& one : std::initializer_list<Asked>{
             {"group:dev", "alice@example.com", "yes"},
             {"group:dev", "carol@example.com", "no"},
             {"group:dev", "group:ops", "yes"},
             {"group:ops", "group:dev", "part"},
             {"group:idp", "alice@example.com", "unknown"},
             {"group:idp", "group:idp", "yes"},
             {"group:idp", "tag:ci", "no"},
             {"alice@example.com", "group:dev", "part"},
             {"user:*@example.com", "alice@example.com", "yes"},
             {"user:*@example.com", "alice@example.org", "no"},
             {"user:*@example.com", "group:dev", "yes"},
             {"autogroup:member", "group:dev", "yes"},
             {"autogroup:member", "tag:ci", "no"},
             {"autogroup:tagged", "tag:ci", "yes"},
             {"autogroup:tagged", "alice@example.com", "no"},
             {"autogroup:admin", "alice@example.com", "unknown"},
             {"autogroup:admin", "tag:ci", "no"},
             {"autogroup:danger-all", "tag:ci", "yes"},
             {"tag:ci", "tag:web", "no"},
             {"tag:ci", "autogroup:tagged", "part"},
             {"db", "alice@example.com", "unknown"},
             {"office", "alice@example.com", "no"},
             {"100.64.0.0/10", "alice@example.com", "yes"},
             {"*", "alice@example.com", "yes"},
             {"group:dev", "*", "part"},
         }) {
        const auto read = read_rules(fmt::format(
            R"("grants": [{{"src": ["{}"], "dst": ["tag:web"], "ip": ["*"]}}])", one.source));
        ASSERT_TRUE(read->policy) << read->diagnostics.print(read->sources, false);
        Evaluator evaluator(*read->policy);
        const auto parsed = SelectorReader(read->root).parse(one.who);
        ASSERT_TRUE(parsed.selector) << one.who;
        EXPECT_EQ(word(evaluator.reaches(*parsed.selector, web(), web().endpoints.front())),
                  one.want)
            << one.source << " " << one.who;
    }
}

TEST(Evaluate, SaysAsWhomSomeoneUsesKubernetes) {
    const auto read = read_rules(R"("grants": [
      {"src": ["tag:ci"], "dst": ["tag:api"], "ip": ["tcp:443"],
       "app": {"tailscale.com/cap/kubernetes": [
         {"impersonate": {"groups": ["system:masters"]}, "recorder": ["tag:web"], "enforceRecorder": true}]}},
      {"src": ["group:dev"], "dst": ["tag:web"],
       "app": {"tailscale.com/cap/kubernetes": [{"impersonate": {"groups": ["view"]}}]}}])");
    ASSERT_TRUE(read->policy) << read->diagnostics.print(read->sources, false);
    ASSERT_EQ(read->policy->rules.front().roles.size(), 1U);
    const Evaluator evaluator(*read->policy);
    const std::vector<Role> roles =
        evaluator.roles({.name = "svc:api", .tags = {"tag:web"}, .api_tags = {"tag:api"}});
    ASSERT_EQ(roles.size(), 1U);
    EXPECT_EQ(roles.front().who->text, "tag:ci");
    EXPECT_EQ(roles.front().recorders, std::vector<std::string>{"tag:web"});
    EXPECT_TRUE(roles.front().enforces_recorder);
    EXPECT_TRUE(evaluator.roles({.name = "web", .tags = {"tag:api"}}).empty());
    EXPECT_EQ(roles.front().groups, std::vector<std::string>{"system:masters"});
}

TEST(Evaluate, SaysWhatProxiesMayReach) {
    const auto read = read_rules(R"("grants": [
      {"src": ["tag:ci"], "dst": ["db"], "ip": ["tcp:5432"]},
      {"src": ["tag:web"], "dst": ["tag:ci"], "ip": ["*"]},
      {"src": ["100.64.0.9"], "dst": ["office"], "ip": ["*"]},
      {"src": ["tag:router"], "dst": ["db"], "ip": ["*"], "srcPosture": ["posture:new"]}])");
    ASSERT_TRUE(read->policy);
    const Evaluator evaluator(*read->policy);
    Egress egress{.parent = "Service/shop/db",
                  .tags = {"tag:ci"},
                  .target = "100.64.3.4",
                  .addresses = AddressSet({*parse_range("100.64.3.4")}),
                  .ports = {{kTcp, 5432, 5432}}};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "yes");
    egress.ports = {{kTcp, 80, 80}};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "no");
    egress.ports = {{kTcp, 80, 80}, {kTcp, 5432, 5432}};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "part");
    egress.ports = {};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "part");
    egress.tags = {"tag:router"};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "unknown");  // the posture of a proxy
    egress.tags = {"tag:web"};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "unknown");  // a device with tag:ci may have it
    egress.tags = {"tag:exit"};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "no");
    egress.addresses = AddressSet({*parse_range("10.0.0.1")});
    EXPECT_EQ(word(evaluator.may_leave(egress)), "unknown");  // the address of a proxy
    egress = {.parent = "Service/shop/db", .tags = {"tag:ci"}, .target = "db.tail.ts.net"};
    EXPECT_EQ(word(evaluator.may_leave(egress)), "unknown");
}

std::string said(std::string_view rules) {
    const auto read = read_rules(rules);
    if (read->policy) {
        run_tests(*read->policy, Evaluator(*read->policy), read->diagnostics);
    }
    std::string text;
    for (const Diagnostics::Block& block : read->diagnostics.blocks(read->sources, false)) {
        text += block.rule + ": " + block.message + "\n";
    }
    return text;
}

TEST(PolicyTests, AreRun) {
    constexpr std::string_view kGrant =
        R"("grants": [{"src": ["group:dev", "group:idp"], "dst": ["tag:web", "office"], "ip": ["tcp:443"]}], )";
    const auto with = [&](std::string_view tests) {
        return said(fmt::format("{}\"tests\": [{}]", kGrant, tests));
    };
    EXPECT_EQ(with(R"({"src": "alice@example.com", "accept": ["tag:web:443", "10.0.0.1:443"]})"),
              "");
    EXPECT_EQ(with(R"({"src": "tag:ci", "deny": ["tag:web:443"], "proto": "tcp"})"), "");
    EXPECT_EQ(with(R"({"src": "bob@example.com", "deny": ["tag:web:443"], "proto": "udp"})"), "");
    EXPECT_EQ(with(R"({"src": "alice@example.com", "accept": ["tag:web:80"]})"),
              "policy-test: the policy fails its own test\n");
    EXPECT_EQ(with(R"({"src": "alice@example.com", "deny": ["tag:web:443"]})"),
              "policy-test: the policy fails its own test\n");
    EXPECT_EQ(with(R"({"src": "carol@example.com", "deny": ["tag:web:443"]})"),
              "policy-test-unknown: the policy does not say enough to decide its own test\n");
}

TEST(ReadPolicy, RefusesWhatItDoesNotUnderstand) {
    struct Bad {
        std::string_view rules, want;
    };
    for (
        const Bad& one : std::initializer_list<Bad>{
            {R"("acls": {})", "policy-shape: acls has the wrong type\n"},
            {R"("acls": [1])", "policy-shape: an item of acls has the wrong type\n"},
            {R"("acls": [{"action": "deny", "src": ["*"], "dst": ["*:*"]}])",
             "policy-field: a rule of acls has no action\n"},
            {R"("acls": [{"action": "accept", "dst": ["*:*"]}])",
             "policy-field: a rule of acls has no src\n"},
            {R"("acls": [{"action": "accept", "src": ["*"], "dst": ["tag"]}])",
             "policy-ports: a destination of acls has no ports\n"},
            {R"("acls": [{"action": "accept", "src": ["*"], "dst": ["*:70000"]}])",
             "policy-ports: invalid ports \"70000\"\n"},
            {R"("acls": [{"action": "accept", "proto": "quic", "src": ["*"], "dst": ["*:*"]}])",
             "policy-ports: unknown protocol\n"},
            {R"("acls": [{"action": "accept", "src": ["*"], "dst": ["*:*"], "when": "noon"}])",
             "policy-field: unknown field \"when\" in acls\n"},
            {R"("grants": [{"src": ["tag:none"], "dst": ["*"], "ip": ["*"]}])",
             "policy-reference: unknown selector \"tag:none\"\n"},
            {R"("grants": [{"src": ["laptop"], "dst": ["*"], "ip": ["*"]}])",
             "policy-reference: unknown selector \"laptop\"\n"},
            {R"("grants": [{"src": ["autogroup:friends"], "dst": ["*"], "ip": ["*"]}])",
             "policy-selector: unknown selector \"autogroup:friends\"\n"},
            {R"("grants": [{"src": ["ipset:loop"], "dst": ["*"], "ip": ["*"]}])",
             "policy-reference: unknown selector \"ipset:loop\"\n"},
            {R"("grants": [{"src": ["autogroup:internet"], "dst": ["*"], "ip": ["*"]}])",
             "policy-selector: this is not a source\n"},
            {R"("grants": [{"src": ["*"], "dst": ["autogroup:danger-all"], "ip": ["*"]}])",
             "policy-selector: this is not a destination\n"},
            {R"("grants": [{"src": ["*"], "dst": ["*"], "ip": ["x:1"]}])",
             "policy-ports: unknown protocol\n"},
            {R"("grants": [{"src": ["*"], "dst": ["*"]}])",
             "policy-field: a grant allows nothing\n"},
            {R"("grants": [{"src": ["*"], "dst": ["*"], "ip": ["*"], "via": ["group:dev"]}])",
             "policy-selector: only tags can be in via\n"},
            {R"("grants": [{"src": ["*"], "dst": ["*"], "ip": ["*"], "srcPosture": ["posture:x"]}])",
             "policy-reference: posture \"posture:x\" is not defined\n"},
            {R"("tests": [{"accept": ["tag:web:1"]}])", "policy-field: a test has no src\n"},
            {R"("tests": [{"src": "laptop", "accept": []}])",
             "policy-reference: unknown selector \"laptop\"\n"},
            {R"("tests": [{"src": "tag:ci"}])", "policy-test: a test tests nothing\n"},
            {R"("tests": [{"src": "tag:ci", "accept": ["tag:web:80,443"]}])",
             "policy-test: this is not a destination of a test\n"},
            {R"("tests": [{"src": "tag:ci", "accept": ["tag:web:80-81"]}])",
             "policy-test: this is not a destination of a test\n"},
            {R"("tests": [{"src": "tag:ci", "deny": ["office:80"]}])",
             "policy-test: this is not a destination of a test\n"},
            {R"("tests": [{"src": "tag:ci", "deny": ["10.0.0.1/32:80"]}])",
             "policy-test: this is not a destination of a test\n"},
            {R"("tests": [{"src": "tag:ci", "deny": ["autogroup:internet:80"]}])",
             "policy-test: this is not a destination of a test\n"},
            {R"("permissions": [])",
             "policy-section: unknown section \"permissions\": what it allows is not known\n"},
            {R"("Groups": {})", "policy-shape: Groups is duplicated\n"},
        }) {
        EXPECT_EQ(said(one.rules), one.want) << one.rules;
    }
    for (const char* bad : {R"({"hosts": {"x": "y"}})", R"({"hosts": {"x": 1}})",
                            R"({"ipsets": {"ipset:x": "10.0.0.0/8"}})", R"({"groups": []})"}) {
        EXPECT_FALSE(read_whole(bad)->policy) << bad;
    }
}

}  // namespace
}  // namespace renderer::access
