#include "renderer/plan/workload/l3_ingress.h"

#include <gtest/gtest.h>

#include <array>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

// Returns the plan of one proxy, one field per line.
std::string dump_run(const Planned& run) {
    const Workload& workload = run.workload();
    constexpr std::array<std::string_view, 6> kTargets = {
        "address", "name", "tailnet address", "tailnet name", "serve", "routes"};
    return fmt::format(
        "{} in {} because {}\nhostname {} tags {}\n{} {}\n", workload.name, workload.ns,
        workload.origin.rule, fmt::join(workload.hostnames, ","), fmt::join(workload.tags, ","),
        kTargets.at(static_cast<std::size_t>(run.proxy().target)), run.proxy().target_value);
}

TEST(L3Ingress, PlansAProxyByAnnotation) {
    const Planned run(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: grafana\n  namespace: observability\n"
        "  annotations:\n    tailscale.com/expose: \"true\"\n    tailscale.com/hostname: dash\n"
        "    tailscale.com/tags: \"tag:k8s-web, tag:prod\"\nspec:\n  selector: {app: grafana}\n"
        "  ports: [{name: http, port: 80, targetPort: 3000}]\n",
        "tailrender: {namespace: ts-ops, clusterDomain: kube.lan}\nloginServer: https://hs.lan/\n"
        "operatorConfig: {extraEnv: [{name: PROXY_PRIORITY_CLASS_NAME, value: high}]}\n");
    EXPECT_EQ(run.dump(), "");
    const Workload& proxy = run.workload();
    EXPECT_EQ(dump_run(run),
              "ts-grafana-58s8m in ts-ops because l3-ingress: annotation tailscale.com/expose\n"
              "hostname dash tags tag:k8s-web,tag:prod\n"
              "name grafana.observability.svc.kube.lan\n");
    EXPECT_EQ(proxy.parent_ns, "observability");
    EXPECT_EQ(proxy.parent_name, "grafana");
    EXPECT_EQ(proxy.origin.parent, "Service/observability/grafana");
    EXPECT_EQ(run.loaded.sources.locate(proxy.origin.pos).line, 2U);
    EXPECT_EQ(proxy.server_url, "https://hs.lan");
    EXPECT_EQ(proxy.image, "registry.example.com/tailrender-proxy:v" TAILRENDER_VERSION "-1.104.5");
    EXPECT_EQ(proxy.pull_policy, "IfNotPresent");
    EXPECT_EQ(proxy.priority_class, "high");
    EXPECT_FALSE(run.proxy().userspace);
    const DeviceRow& row = run.plan.devices.at(0);
    EXPECT_EQ(row.hostname + " " + row.kind + " " + row.tags + " " + row.target,
              "dash Service tag:k8s-web,tag:prod observability/grafana");
    EXPECT_FALSE(row.is_public);
}

TEST(L3Ingress, ChoosesTargetAndReason) {
    struct Row {
        std::string_view spec, values, want;
    };
    const Row rows[] = {
        {"clusterIP: 10.43.0.5, ports: [{port: 80}]", "", "address 10.43.0.5"},
        {"clusterIP: 'fd00:96::a', ipFamilies: [IPv6], ports: [{port: 80}]", "",
         "address fd00:96::a"},
        {"clusterIP: '', ports: [{port: 80}]", "", "name web.shop.svc.cluster.local"},
        {"type: ExternalName, externalName: db.example.org.", "", "name db.example.org."},
    };
    for (const Row& row : rows) {
        const Planned run(exposed("", row.spec), row.values);
        EXPECT_EQ(run.dump(), "") << row.spec;
        EXPECT_NE(dump_run(run).find(row.want), std::string::npos) << row.spec;
    }
    const auto reason = [](const Planned& run) { return run.workload().origin.rule; };
    EXPECT_EQ(reason(Planned(exposed("", "type: ExternalName, externalName: a.b"))),
              "l3-ingress: annotation tailscale.com/expose on an ExternalName Service");
    EXPECT_EQ(reason(Planned(service("web",
                                     "type: LoadBalancer, loadBalancerClass: tailscale, "
                                     "ports: [{port: 80}]"))),
              "l3-ingress: loadBalancerClass tailscale");
    EXPECT_EQ(reason(Planned(service("web", "type: LoadBalancer, ports: [{port: 80}]"),
                             "operatorConfig: {extraEnv: [{name: OPERATOR_DEFAULT_LOAD_BALANCER, "
                             "value: 'true'}]}")),
              "l3-ingress: LoadBalancer without a class, and OPERATOR_DEFAULT_LOAD_BALANCER");
    EXPECT_EQ(Planned(exposed("", "type: ExternalName, externalName: a.b")).plan.devices[0].target,
              "a.b");
}

TEST(L3Ingress, PullsOnlyWhatCanChange) {
    const auto policy = [](std::string_view image) {
        return Planned(exposed(), fmt::format("proxyConfig: {{image: {{{}}}}}\n"
                                              "tailrender: {{dataplane: containerboot}}",
                                              image))
            .workload()
            .pull_policy;
    };
    EXPECT_EQ(policy("tag: v1.96.5"), "IfNotPresent");
    EXPECT_EQ(policy("tag: 1.96.5"), "IfNotPresent");
    EXPECT_EQ(policy("digest: 'sha256:00'"), "IfNotPresent");
    EXPECT_EQ(policy("tag: stable"), "Always");
    EXPECT_EQ(policy("tag: v1.96"), "Always");
}

TEST(L3Ingress, ChecksHostnames) {
    const std::string expected = "1 to 63 letters, digits and dashes, no dash at either end";
    const std::string advice = "fix it, or remove the annotation to use <namespace>-<name>";
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"my_host", "contains invalid character '_'"},
        {"b.example.org", "contains invalid character '.'"},
        {"", "is empty"},
        {"-edge", "must start with a letter or number"},
        {"edge-", "must end with a letter or number"},
    };
    for (const auto& [hostname, wrong] : rows) {
        EXPECT_EQ(Planned(exposed(fmt::format("tailscale.com/hostname: '{}'", hostname))).dump(),
                  fmt::format("3: error [invalid-hostname] Service/shop/web: invalid hostname "
                              "\"{}\": {} | {} | {}\n",
                              hostname, wrong, expected, advice));
    }
    const std::string name(60, 'a');
    EXPECT_EQ(Planned(exposed("", "ports: [{port: 80}]", name)).dump(),
              fmt::format("3: error [invalid-hostname] Service/shop/{0}: invalid hostname "
                          "\"shop-{0}\": is too long, max length is 63 bytes | a name of 65 bytes "
                          "| {1} | choose one with the annotation \"tailscale.com/hostname\"\n",
                          name, expected));
}

TEST(L3Ingress, AppendsTheClustersSuffix) {
    const std::string_view suffix = "tailrender: {hostnameSuffix: lab}";
    EXPECT_EQ(Planned(exposed(), suffix).workload().hostnames.at(0), "shop-web-lab");
    EXPECT_EQ(Planned(exposed("tailscale.com/hostname: x"), suffix).workload().hostnames.at(0),
              "x-lab");
    const Planned run(exposed(fmt::format("tailscale.com/hostname: {}", std::string(60, 'a'))),
                      suffix);
    EXPECT_EQ(run.diagnostics.all().at(0).message,
              fmt::format("invalid hostname \"{}-lab\": is too long, max length is 63 bytes",
                          std::string(60, 'a')));
}

TEST(L3Ingress, ChecksTags) {
    EXPECT_EQ(
        Planned(exposed("tailscale.com/tags: 'prod, tag:1st,tag:ok'")).dump(),
        "3: error [invalid-tag] Service/shop/web: invalid tag \"prod\": tags must start with "
        "'tag:' | \"prod, tag:1st,tag:ok\" | tags such as \"tag:web\", separated by commas\n"
        "3: error [invalid-tag] Service/shop/web: invalid tag \"tag:1st\": tag names must start "
        "with a letter, after 'tag:' | \"prod, tag:1st,tag:ok\" | tags such as \"tag:web\", "
        "separated by commas\n");
    EXPECT_EQ(Planned(exposed("tailscale.com/tags: ''")).dump(),
              "3: error [invalid-tag] Service/shop/web: invalid tag \"\": tags must start with "
              "'tag:' | \"\" | tags such as \"tag:web\", separated by commas\n");
}

TEST(L3Ingress, RefusesHeadlessServices) {
    EXPECT_EQ(Planned(exposed("", "clusterIP: None, ports: [{port: 80}]")).dump(),
              "4: error [headless-service] Service/shop/web: a headless Service has no address for "
              "a proxy to target | a Service without \"clusterIP: None\" | expose a second Service "
              "with the same selector and a cluster IP\n");
}

TEST(L3Ingress, ChecksAnnotationsOfTheOtherDirectionToo) {
    const std::string_view hint = "remove the annotation: this Service targets the cluster";
    const auto dump_of = [](std::string_view annotations) {
        return Planned(exposed(annotations)).dump();
    };
    EXPECT_EQ(dump_of("tailscale.com/tailnet-ip: 100.64.0.1"), "");
    EXPECT_EQ(dump_of("tailscale.com/tailnet-fqdn: db.tail1.ts.net."), "");
    EXPECT_EQ(dump_of("tailscale.com/tailnet-ip: 'fe80::1%en0'"), "");
    EXPECT_EQ(dump_of("tailscale.com/ts-tailnet-target-ip: nonsense"), "");
    EXPECT_EQ(dump_of("tailscale.com/tailnet-ip: 100.64.0.1, tailscale.com/tailnet-fqdn: "
                      "db.tail1.ts.net"),
              fmt::format("3: error [egress-target-conflict] Service/shop/web: only one of "
                          "\"tailscale.com/tailnet-ip\" and \"tailscale.com/tailnet-fqdn\" can be "
                          "set | one target at most | {}\n",
                          hint));
    for (const std::string_view bad : {"nas", "db.ts.net", "a.b.c.ts.net", "a_b.c.ts.net",
                                       ".b.ts.net", "a..ts.net", "db.tail1.ts.net.."}) {
        EXPECT_EQ(dump_of(fmt::format("tailscale.com/tailnet-fqdn: {}", bad)),
                  fmt::format("3: error [invalid-tailnet-fqdn] Service/shop/web: invalid device "
                              "name \"{}\" | a name such as \"db.tail1234.ts.net\" | {}\n",
                              bad, hint));
    }
    EXPECT_EQ(dump_of("tailscale.com/tailnet-ip: 100.64.0.300"),
              fmt::format("3: error [invalid-tailnet-ip] Service/shop/web: invalid IP "
                          "address \"100.64.0.300\" | an address such as \"100.64.0.7\" | {}\n",
                          hint));
}

TEST(L3Ingress, SaysWhichFamilyAProxyCannotReach) {
    const std::string error =
        "4: error [ipv6-dns-target] Service/shop/web: the proxy cannot target an IPv6 address that "
        "it looks up by name | a Service whose only family is IPv6, without a pinned clusterIP | "
        "pin spec.clusterIP, or give the Service an IPv4 address\n";
    const std::string warning =
        "4: warning [ipv6-dns-target] Service/shop/web: the proxy will only target the IPv4 "
        "address of this dual-stack Service | a dual-stack Service without a pinned clusterIP | "
        "pin spec.clusterIP to choose the address\n";
    const std::pair<std::string_view, std::string> rows[] = {
        {"ipFamilies: [IPv4]", ""},
        {"ipFamilyPolicy: SingleStack", ""},
        {"ipFamilies: [IPv6]", error},
        {"ipFamilies: [IPv6], ipFamilyPolicy: SingleStack", error},
        {"ipFamilies: [IPv6], ipFamilyPolicy: PreferDualStack", warning},
        {"ipFamilyPolicy: RequireDualStack", warning},
        {"ipFamilies: [IPv6, IPv4]", warning},
        {"ipFamilies: [IPv6], clusterIP: 'fd00::1'", ""},
    };
    for (const auto& [families, want] : rows) {
        const std::string stream = exposed("", fmt::format("{}, ports: [{{port: 80}}]", families));
        EXPECT_EQ(Planned(stream, "tailrender: {dataplane: containerboot}").dump(), want)
            << families;
        EXPECT_EQ(Planned(stream).dump(), "") << families;
    }
}

TEST(L3Ingress, WantsToKnowTheNamespace) {
    const Planned run(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web, annotations: {tailscale.com/expose: "
        "'true'}}\nspec: {ports: [{port: 80}]}\n");
    EXPECT_EQ(
        run.dump(),
        "3: error [missing-namespace] Service/web: the namespace of this object is unknown | "
        "metadata.namespace, or \"namespace\" of a kustomization | set metadata.namespace, or use "
        "--namespace NAME\n");
}

}  // namespace
}  // namespace renderer::plan
