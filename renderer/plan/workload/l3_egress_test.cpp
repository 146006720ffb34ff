#include "renderer/plan/workload/l3_egress.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kNamed = "type: ExternalName, externalName: placeholder";
constexpr std::string_view kProxyName = "ts-db-p4q52.tailscale.svc.cluster.local";

// Returns a Service with one annotation and a spec, both in flow style. Lines: annotations 3, spec
// 4.
std::string leading(std::string_view annotations, std::string_view spec = kNamed) {
    return fmt::format(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: db, namespace: shop, annotations: "
        "{{tailscale.com/{}}}}}\nspec: {{{}}}\n",
        annotations, spec);
}

// Returns the input with the plan's edits.
std::string edited(const Planned& run) {
    std::string text(run.loaded.sources.text(run.loaded.documents.at(0).source));
    for (auto edit = run.plan.edits.rbegin(); edit != run.plan.edits.rend(); ++edit) {
        text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    }
    return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    return text;
}

TEST(L3Egress, TargetsAnAddressOrAName) {
    struct Row {
        std::string_view annotations, rule, value;
        Target target;
        std::optional<classify::IpFamily> family;
    };
    const Row rows[] = {
        {"tailnet-ip: 100.77.12.9", "l3-egress: annotation tailscale.com/tailnet-ip", "100.77.12.9",
         Target::TailnetIp, classify::IpFamily::V4},
        {"tailnet-ip: 'fd7a:115c:a1e0::4d01:22'", "l3-egress: annotation tailscale.com/tailnet-ip",
         "fd7a:115c:a1e0::4d01:22", Target::TailnetIp, classify::IpFamily::V6},
        {"tailnet-ip: 'fe80::1%eth0'", "l3-egress: annotation tailscale.com/tailnet-ip",
         "fe80::1%eth0", Target::TailnetIp, classify::IpFamily::V6},
        {"tailnet-ip: '::ffff:100.64.0.1'", "l3-egress: annotation tailscale.com/tailnet-ip",
         "::ffff:100.64.0.1", Target::TailnetIp, classify::IpFamily::V6},
        {"ts-tailnet-target-ip: 100.90.80.70",
         "l3-egress: annotation tailscale.com/ts-tailnet-target-ip (deprecated)", "100.90.80.70",
         Target::TailnetIp, classify::IpFamily::V4},
        {"tailnet-fqdn: Vault-1.tail5e1f.ts.net",
         "l3-egress: annotation tailscale.com/tailnet-fqdn", "Vault-1.tail5e1f.ts.net.",
         Target::TailnetName, std::nullopt},
        {"tailnet-fqdn: nas.tail5e1f.ts.net.", "l3-egress: annotation tailscale.com/tailnet-fqdn",
         "nas.tail5e1f.ts.net.", Target::TailnetName, std::nullopt},
    };
    for (const Row& row : rows) {
        const Planned run(leading(row.annotations));
        EXPECT_EQ(run.dump(), "") << row.annotations;
        ASSERT_EQ(run.plan.workloads.size(), 1U);
        const ProxyPlan& proxy = run.proxy();
        EXPECT_EQ(run.workload().origin.rule, row.rule);
        EXPECT_EQ(proxy.target, row.target) << row.annotations;
        EXPECT_EQ(proxy.target_value, row.value);
        EXPECT_EQ(proxy.family, row.family) << row.annotations;
        EXPECT_EQ(run.workload().hostnames.at(0), "shop-db");
        EXPECT_FALSE(proxy.userspace);
        EXPECT_EQ(
            run.plan.devices[0].target,
            fmt::format("tailnet {}", row.value.substr(0, row.value.find_last_not_of('.') + 1)));
    }
}

TEST(L3Egress, SplicesTheExternalName) {
    constexpr std::string_view kIp = "tailnet-ip: 100.64.0.7";
    struct Row {
        std::string_view spec, want;
    };
    const Row rows[] = {
        {"type: ExternalName, externalName: x", "type: ExternalName, externalName: NAME"},
        {"externalName: 'x' , type: ExternalName", "externalName: 'NAME' , type: ExternalName"},
        {"type: ExternalName, externalName: \"\"", "type: ExternalName, externalName: \"NAME\""},
        {"type: ExternalName, externalName: to_be.Filled in",
         "type: ExternalName, externalName: NAME"},
        {"type: ExternalName", "externalName: NAME, type: ExternalName"},
        {"type: ExternalName, externalName: x, selector: {app: gone}, ports: [{port: 22}]",
         "type: ExternalName, externalName: NAME, selector: {app: gone}, ports: [{port: 22}]"},
    };
    for (const Row& row : rows) {
        const Planned run(leading(kIp, row.spec));
        EXPECT_EQ(run.dump(), "") << row.spec;
        EXPECT_EQ(edited(run), leading(kIp, replaced(std::string(row.want), "NAME", kProxyName)));
        ASSERT_EQ(run.plan.edits.size(), 1U);
        EXPECT_EQ(run.plan.edits[0].reason, fmt::format("externalName {}", kProxyName));
    }
    const Planned done(
        leading(kIp, fmt::format("type: ExternalName, externalName: {}", kProxyName)));
    EXPECT_EQ(done.dump(), "");
    EXPECT_TRUE(done.plan.edits.empty());
}

TEST(L3Egress, SplicesInEveryLayout) {
    constexpr std::string_view kHead =
        "# ours\r\napiVersion: v1\r\nkind: Service\r\nmetadata:\r\n  name: db\r\n"
        "  namespace: shop\r\n  annotations: {tailscale.com/tailnet-fqdn: a.b.ts.net}\r\nspec:\r\n";
    const std::string name = fmt::format("  externalName: {}\r\n", kProxyName);
    const Planned present(
        fmt::format("{}  externalName: old   # keep\r\n  type: ExternalName\r\n", kHead));
    EXPECT_EQ(edited(present),
              fmt::format("{}  externalName: {}   # keep\r\n  type: ExternalName\r\n", kHead,
                          kProxyName));
    const Planned absent(fmt::format("{}  type: ExternalName\r\n", kHead));
    EXPECT_EQ(edited(absent), fmt::format("{}{}  type: ExternalName\r\n", kHead, name));
    const std::string json =
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"db","namespace":"shop",)"
        R"("annotations":{"tailscale.com/tailnet-ip":"100.64.0.7"}},"spec":{"type":"ExternalName"}})";
    EXPECT_EQ(edited(Planned(json)),
              replaced(json, R"("spec":{)",
                       fmt::format(R"("spec":{{"externalName": "{}", )", kProxyName)));
}

TEST(L3Egress, UsesNamespaceAndDomainOfTheCluster) {
    const Planned run(leading("tailnet-ip: 100.64.0.7"),
                      "tailrender: {namespace: vpn, clusterDomain: kube.lan}");
    EXPECT_EQ(edited(run),
              leading("tailnet-ip: 100.64.0.7",
                      "type: ExternalName, externalName: ts-db-p4q52.vpn.svc.kube.lan"));
}

TEST(L3Egress, IsMissingItsNameOnly) {
    const Planned run(
        leading("expose: 'true', tailscale.com/tailnet-ip: 100.64.0.7", "type: ExternalName"));
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.proxy().target, Target::TailnetIp);
}

TEST(L3Egress, RefusesOtherTypes) {
    constexpr std::string_view kHint =
        "write these three lines, and remove \"selector\" and \"clusterIP\":\n    spec:\n"
        "      type: ExternalName\n      externalName: placeholder";
    struct Row {
        std::string_view spec, want;
    };
    const Row rows[] = {
        {"selector: {app: a}, ports: [{port: 80}]",
         "4: error [egress-not-external-name] Service/shop/db: a Service that targets the tailnet "
         "must be of type ExternalName | type ClusterIP | a Service of type ExternalName, whose "
         "name is replaced"},
        {"type: NodePort, ports: [{port: 80}]",
         "4: error [egress-not-external-name] Service/shop/db: a Service that targets the tailnet "
         "must be of type ExternalName | type NodePort | a Service of type ExternalName, whose "
         "name is replaced"},
        {"type: LoadBalancer, loadBalancerClass: other, ports: [{port: 80}]",
         "4: error [egress-not-external-name] Service/shop/db: a Service that targets the tailnet "
         "must be of type ExternalName | type LoadBalancer | a Service of type ExternalName, whose "
         "name is replaced"},
        {"clusterIP: None, selector: {app: a}",
         "4: error [headless-service] Service/shop/db: a headless Service cannot target the "
         "tailnet | a Service of type ExternalName"},
    };
    for (const Row& row : rows) {
        const Planned run(leading("tailnet-ip: 100.64.0.7", row.spec));
        EXPECT_EQ(run.dump(), fmt::format("{} | {}\n", row.want, kHint)) << row.spec;
        EXPECT_TRUE(run.plan.edits.empty());
    }
}

TEST(L3Egress, ChecksTargets) {
    struct Row {
        std::string_view annotations, want;
    };
    const Row rows[] = {
        {"tailnet-ip: 100.64.0.1, tailscale.com/tailnet-fqdn: a.b.ts.net",
         "3: error [egress-target-conflict] Service/shop/db: only one of "
         "\"tailscale.com/tailnet-ip\" and \"tailscale.com/tailnet-fqdn\" can be set | one target "
         "at most\n"},
        {"tailnet-fqdn: nas",
         "3: error [invalid-tailnet-fqdn] Service/shop/db: invalid device name \"nas\" | a "
         "name such as \"db.tail1234.ts.net\"\n"},
        {"tailnet-ip: 100.64.0.300",
         "3: error [invalid-tailnet-ip] Service/shop/db: invalid IP address \"100.64.0.300\" | "
         "an address such as \"100.64.0.7\"\n"},
        {"ts-tailnet-target-ip: nas",
         "3: error [invalid-tailnet-ip] Service/shop/db: invalid IP address \"nas\" | an address "
         "such as \"100.64.0.7\"\n"},
        {"tailnet-ip: 100.64.0.1, tailscale.com/ts-tailnet-target-ip: nas",
         "3: warning [annotation-without-effect] Service/shop/db: annotation "
         "\"tailscale.com/ts-tailnet-target-ip\" has no effect together with "
         "\"tailscale.com/tailnet-ip\" "
         "| remove one of the two\n"},
        {"ts-tailnet-target-ip: 100.64.0.1, tailscale.com/tailnet-fqdn: a.b.ts.net",
         "3: warning [annotation-without-effect] Service/shop/db: annotation "
         "\"tailscale.com/tailnet-fqdn\" has no effect together with "
         "\"tailscale.com/ts-tailnet-target-ip\" | remove one of the two\n"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(Planned(leading(row.annotations)).dump(), row.want) << row.annotations;
    }
}

TEST(L3Egress, RefusesTextThatItCannotChange) {
    const auto message = [](const std::string& stream) { return Planned(stream).dump(); };
    EXPECT_EQ(
        message("apiVersion: v1\nkind: Service\nmetadata: {name: db, namespace: shop, "
                "annotations: {tailscale.com/tailnet-ip: 100.64.0.7}}\nspec:\n"
                "  type: ExternalName\n  externalName: &n x\n"),
        fmt::format(
            "6: error [cannot-edit] Service/shop/db: cannot write \"externalName: "
            "{}\" into this document | a spec or a name that uses an alias, an anchor or a tag, or "
            "has several lines | write \"externalName: placeholder\" on a separate line\n",
            kProxyName));
    const std::string shared = message(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Service, metadata: {name: a, namespace: s, annotations: "
        "&a {tailscale.com/tailnet-ip: 100.64.0.7}}, spec: &s {type: ExternalName, "
        "externalName: x}}\n"
        "- {apiVersion: v1, kind: Service, metadata: {name: b, namespace: s, annotations: *a}, "
        "spec: *s}\n");
    EXPECT_NE(shared.find("4: error [cannot-edit] two documents share this text"),
              std::string::npos)
        << shared;
}

TEST(L3Egress, IsSortedAmongTheOthersByName) {
    const Planned run(leading("tailnet-ip: 100.64.0.7") + std::string(kSeparator) +
                      exposed("", "ports: [{port: 80}]", "ax") + std::string(kSeparator) +
                      exposed("", "ports: [{port: 80}]", "web"));
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.parents(), "Service/shop/ax Service/shop/db Service/shop/web");
}

}  // namespace
}  // namespace renderer::plan
