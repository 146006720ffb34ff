
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "renderer/plan/model.h"
#include "renderer/plan/object_names.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

void add_bundle(load::Loaded& loaded, std::string dir) {
    engines::Bundle bundle;
    bundle.dir = std::move(dir);
    loaded.bundles.push_back(std::move(bundle));
}

TEST(Plan, ReportsTheFirewallModeOnceWithEveryProxy) {
    const std::string stream = exposed() + "---\n" + exposed("", "ports: [{port: 80}]", "b");
    EXPECT_EQ(Planned(stream, "proxyConfig: {firewallMode: nftable}").dump(),
              "1: error [invalid-firewall-mode] invalid value of \"proxyConfig.firewallMode\" | "
              "\"nftable\" | one of { auto, iptables, nftables } | did you mean \"nftables\"?\n"
              "  7: Service/shop/b: its proxy would not start\n"
              "  2: Service/shop/web: its proxy would not start\n");
    EXPECT_EQ(Planned(stream, "proxyConfig: {firewallMode: ''}").dump(), "");
}

// By default proxies have tag:k8s. A proxy gets a tag of the operator only if it is set explicitly.
TEST(Plan, GivesTheTagsOfTheOperatorToNoOne) {
    const std::string stream =
        exposed() + "---\n" +
        ingress(
            "tls: [{hosts: [site]}], defaultBackend: {service: {name: web, port: {number: 80}}}") +
        "---\napiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: exit}\n"
        "spec: {exitNode: true}\n"
        "---\napiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {name: out}\n"
        "spec: {type: egress}\n"
        "---\napiVersion: tailscale.com/v1alpha1\nkind: Recorder\nmetadata: {name: tape}\n"
        "spec: {enableUI: true}\n";
    const Planned planned(stream, "operatorConfig: {defaultTags: ['tag:ops', 'tag:k8s-operator']}");
    EXPECT_EQ(planned.dump(), "");
    const std::vector<std::string> wanted = {"tag:k8s"};
    ASSERT_EQ(planned.plan.workloads.size(), 5U);
    for (const Workload& workload : planned.plan.workloads) {
        EXPECT_EQ(workload.tags, wanted) << workload.origin.parent;
    }
}

TEST(Plan, WarnsOfAProxyWithATagOfTheOperator) {
    const std::string warning =
        "its device gets a tag of the operator itself, and may assign the tags that this tag owns "
        "| "
        "\"tag:k8s-operator\" | no tag of \"operatorConfig.defaultTags\"\n";
    EXPECT_EQ(Planned(exposed("tailscale.com/tags: 'tag:web,tag:k8s-operator'")).dump(),
              "2: warning [operator-tag] Service/shop/web: " + warning);
    EXPECT_EQ(
        Planned("apiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {name: out}\n"
                "spec: {type: egress, tags: ['tag:k8s-operator']}\n"
                "---\napiVersion: tailscale.com/v1alpha1\nkind: Recorder\n"
                "metadata: {name: tape}\n"
                "spec: {enableUI: true, tags: ['tag:k8s-operator']}\n")
            .dump(),
        "2: warning [operator-tag] ProxyGroup/out: " + warning +
            "7: warning [operator-tag] Recorder/tape: " + warning);
}

TEST(Plan, RefusesTwoDevicesOfOneName) {
    const std::string stream =
        exposed("tailscale.com/hostname: Edge") + "---\n" +
        exposed("tailscale.com/hostname: edge", "ports: [{port: 80}]", "api") + "---\n" +
        ingress(
            "tls: [{hosts: [edge]}], defaultBackend: {service: {name: web, port: {number: "
            "80}}}");
    EXPECT_EQ(Planned(stream).dump(),
              "8: error [duplicate-hostname] Service/shop/api: a second device with the hostname "
              "\"edge\" | a unique hostname: the tailnet would call the second one "
              "\"<hostname>-1\" | choose one with the annotation \"tailscale.com/hostname\"\n"
              "  3: Service/shop/web: also has it\n"
              "14: error [duplicate-hostname] Ingress/shop/site: a second device with the hostname "
              "\"edge\" | a unique hostname: the tailnet would call the second one "
              "\"<hostname>-1\" | change the first host of spec.tls\n"
              "  3: Service/shop/web: also has it\n");
}

TEST(Plan, RefusesTheSameObjectTwice) {
    const std::string again =
        ": duplicate object in the inputs | each object once | remove one of the two\n";
    EXPECT_EQ(Planned(exposed() + "---\n" + exposed()).dump(),
              "7: error [duplicate-object] Service/shop/web" + again +
                  "  2: Service/shop/web: the first is here\n");
    // A backend also counts. Services that nothing targets are left to the applier.
    const std::string w = service("w", "ports: [{port: 80}]");
    const std::string site =
        ingress("tls: [{hosts: [a]}], defaultBackend: {service: {name: w, port: {number: 80}}}");
    EXPECT_EQ(Planned(site + "---\n" + w + "---\n" + w).dump(),
              "12: error [duplicate-object] Service/shop/w" + again +
                  "  7: Service/shop/w: the first is here\n");
    EXPECT_EQ(Planned(w + "---\n" + w).dump(), "");
    // A fact with the same name is not a duplicate.
    EXPECT_EQ(Planned(exposed() + "---\n" + exposed(), "",
                      [](load::Loaded& all) { all.documents.at(1).reachable = false; })
                  .dump(),
              "");
}

// Two names that agree in their first 43 bytes and in the five characters, found by search.
TEST(Plan, RefusesTwoParentsWhoseNamesCollide) {
    std::map<std::string, std::string> seen;
    std::string first;
    std::string second;
    for (int i = 0; i < 100'000 && second.empty(); ++i) {
        const std::string name = std::string(43, 'a') + std::to_string(i);
        const auto [place, is_new] = seen.emplace(proxy_name("Service", "shop", name), name);
        if (!is_new) {
            first = place->second;
            second = name;
        }
    }
    ASSERT_FALSE(second.empty());
    const std::string objects = proxy_name("Service", "shop", first);
    EXPECT_EQ(
        Planned(exposed("tailscale.com/hostname: a", "ports: [{port: 80}]", first) + "---\n" +
                exposed("tailscale.com/hostname: b", "ports: [{port: 80}]", second))
            .dump(),
        fmt::format("7: error [name-collision] Service/shop/{1}: its objects would have the same "
                    "name \"{2}\" as those of \"Service/shop/{0}\" | rename one of the two\n"
                    "  2: Service/shop/{0}: also has that name\n",
                    first, second, objects));
}

TEST(Plan, PutsProxiesBesideTheirParents) {
    const std::string stream = exposed();
    const Planned run(stream, "", [](load::Loaded& loaded) {
        add_bundle(loaded, "z");
        loaded.documents.at(0).bundle = 1;
    });
    EXPECT_EQ(run.workload().bundle, 1U);
    EXPECT_EQ(run.workload().ns, "tailscale");
}

TEST(Plan, PutsProxiesIntoTheOperatorsBundle) {
    const std::string_view central = "tailrender: {placement: central, dataplane: containerboot}";
    const auto two = [](load::Loaded& loaded) { add_bundle(loaded, "operator"); };
    const auto named = [&](load::Loaded& loaded) {
        two(loaded);
        loaded.operator_bundle = 1;
        loaded.bundles[1].default_namespace = "ts-ops";
        loaded.bundles[1].chart_version = "1.96.7";
        loaded.bundles[0].forced_namespace = "shop";
    };
    const Planned run(exposed(), central, named);
    EXPECT_EQ(run.dump(), "");
    EXPECT_EQ(run.workload().bundle, 1U);
    EXPECT_EQ(run.workload().ns, "ts-ops");
    EXPECT_EQ(run.workload().image, "tailscale/tailscale:v1.96.7");
    EXPECT_EQ(Planned(exposed(), central).workload().bundle, 0U);
    EXPECT_EQ(Planned(exposed(), central, two).dump(),
              "1: error [no-operator-bundle] no bundle in the inputs has the operator | a bundle "
              "for generated objects: one with the operator's chart in fleet.yaml, or with its "
              "manifest | set \"tailrender.placement: parent\"\n");
}

TEST(Plan, RefusesBundlesThatForceAnotherNamespace) {
    const auto force = [](std::string_view ns) {
        return [ns](load::Loaded& loaded) { loaded.bundles[0].forced_namespace = ns; };
    };
    EXPECT_EQ(Planned(exposed(), "", force("tailscale")).dump(), "");
    EXPECT_EQ(Planned(exposed(), "", force("shop")).dump(),
              "0: error [forced-namespace] this bundle forces all objects into namespace \"shop\" "
              "| a bundle that keeps generated objects in namespace \"tailscale\" | use "
              "\"defaultNamespace\" instead of \"namespace\", or set \"tailrender.placement: "
              "central\" to keep generated objects in the operator's bundle\n"
              "  2: Service/shop/web: its objects would be created there\n");
    // A bundle without a proxy may force any namespace.
    EXPECT_EQ(Planned(service("w", "ports: [{port: 80}]"), "", force("shop")).dump(), "");
}

TEST(Plan, ReportsEveryErrorOfARun) {
    const Planned run(
        exposed("tailscale.com/hostname: a_b, tailscale.com/tags: x", "ports: [{port: 0}]") +
            "---\n" + ingress("rules: [{host: x}]", "tailscale.com/tags: z"),
        "proxyConfig: {firewallMode: x}\ntailrender: {inputs: some, dataplane: containerboot, "
        "operatorVersion: 1.96.5}");
    std::vector<std::string> rules;
    for (const Diagnostic& one : run.diagnostics.all()) {
        rules.push_back(one.rule);
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(rules, " ")),
              "unknown-choice invalid-tag rule-host-unsupported invalid-object invalid-tag "
              "invalid-hostname invalid-firewall-mode vulnerable-image");
}

// Devices of every kind have the take-over tag. A Tailscale Service does not, because it is not a
// device.
TEST(Plan, MarksAllDevicesOfTheCluster) {
    const auto resource = [](std::string_view kind, std::string_view name, std::string_view spec) {
        return fmt::format(
            "apiVersion: tailscale.com/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"
            "spec: {{tags: ['tag:a'], {}}}\n---\n",
            kind, name, spec);
    };
    const Planned run(
        resource("Connector", "out", "exitNode: true") +
            resource("Recorder", "tape",
                     "storage: {s3: {endpoint: s3.example.com, bucket: tapes}}") +
            resource("ProxyGroup", "api",
                     "type: kube-apiserver, replicas: 1, kubeAPIServer: {mode: noauth}") +
            exposed("tailscale.com/tags: 'tag:one, tag:b'"),
        "tailrender: {takeOverTag: 'tag:one', tailnetDomain: tail1a2b3.ts.net}");
    EXPECT_EQ(run.dump(), "");
    std::vector<std::string> tags;
    for (const DeviceRow& row : run.plan.devices) {
        tags.push_back(fmt::format("{} {}", row.hostname, row.tags));
    }
    std::ranges::sort(tags);
    EXPECT_EQ(fmt::format("{}", fmt::join(tags, "; ")),
              "api tag:a; api-0 tag:a,tag:one; out-connector tag:a,tag:one; shop-web "
              "tag:one,tag:b; tape-0 tag:a,tag:one");
}

TEST(Plan, KeepsTheEditsOfLoad) {
    const Planned run(exposed(), "", [](load::Loaded& loaded) {
        loaded.edits.push_back({.replacement = "x", .reason = "namespace shop"});
    });
    ASSERT_EQ(run.plan.edits.size(), 1U);
    EXPECT_EQ(run.plan.edits[0].reason, "namespace shop");
}

}  // namespace
}  // namespace renderer::plan
