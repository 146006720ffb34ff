#include "renderer/plan/annotations.h"

#include <gtest/gtest.h>

#include "renderer/plan/plan_testing.h"

namespace renderer::plan {
namespace {

constexpr std::string_view kKnown =
    "tailscale.com/expose, tailscale.com/hostname, tailscale.com/tags, tailscale.com/tailnet-ip, "
    "tailscale.com/ts-tailnet-target-ip, tailscale.com/tailnet-fqdn, tailscale.com/proxy-class, "
    "tailscale.com/proxy-group";

TEST(Annotations, WarnAboutSlipsOnServices) {
    const std::pair<std::string_view, std::string> rows[] = {
        {"tailscale.com/hostname: web", ""},
        {"example.com/exposed: 'true'", ""},
        {"tailscale.com/exposed: 'true'",
         "3: warning [unknown-annotation] Service/shop/web: unknown annotation "
         "\"tailscale.com/exposed\" | did you mean \"tailscale.com/expose\"?\n"},
        {"tailscale.com/zzzzzzzzzzzz: x",
         "3: warning [unknown-annotation] Service/shop/web: unknown annotation "
         "\"tailscale.com/zzzzzzzzzzzz\" | the operator knows " +
             std::string(kKnown) + "\n"},
        {"tailscale.com/proxy-protocol: v2",
         "3: warning [unknown-annotation] Service/shop/web: unknown annotation "
         "\"tailscale.com/proxy-protocol\" | the operator knows " +
             std::string(kKnown) + "\n"},
        {"tailscale.com/funnel: 'true'",
         "3: warning [annotation-without-effect] Service/shop/web: annotation "
         "\"tailscale.com/funnel\" has no effect on a Service | it belongs on an Ingress\n"},
    };
    for (const auto& [annotation, want] : rows) {
        EXPECT_EQ(Planned(exposed(annotation)).dump(), want) << annotation;
    }
}

TEST(Annotations, SwitchesAreOnOnlyWithTheExactText) {
    const std::string spec =
        "tls: [{hosts: [a]}], defaultBackend: {service: {name: w, port: {number: 80}}}";
    const std::string backend = std::string(kSeparator) + service("w", "ports: [{port: 80}]");
    const auto funnel = [&](std::string_view value) {
        return Planned(ingress(spec, fmt::format("tailscale.com/funnel: {}", value)) + backend);
    };
    EXPECT_TRUE(funnel("'true'").proxy().funnel);
    for (const std::string_view off : {"'false'", "''"}) {
        EXPECT_EQ(funnel(off).dump(), "") << off;
        EXPECT_FALSE(funnel(off).proxy().funnel) << off;
    }
    for (const std::string_view wrong : {"True", "yes", "1"}) {
        const Planned run = funnel(fmt::format("'{}'", wrong));
        EXPECT_FALSE(run.proxy().funnel);
        EXPECT_EQ(run.dump(),
                  fmt::format("3: warning [not-exactly-true] Ingress/shop/site: invalid value of "
                              "annotation \"tailscale.com/funnel\": only \"true\" enables it | "
                              "\"{}\" | \"true\" or \"false\" | write "
                              "tailscale.com/funnel: \"true\"\n",
                              wrong));
    }
    EXPECT_EQ(Planned(exposed("tailscale.com/hostname: x")).dump(), "");
    EXPECT_EQ(Planned(ingress(spec, "tailscale.com/hostname: x") + backend).dump(),
              "3: warning [annotation-without-effect] Ingress/shop/site: annotation "
              "\"tailscale.com/hostname\" has no effect on an Ingress | it belongs on a Service\n");
    EXPECT_EQ(Planned(ingress(spec, "tailscale.com/http-endpoint: enabled") + backend).dump(),
              "3: warning [annotation-without-effect] Ingress/shop/site: annotation "
              "\"tailscale.com/http-endpoint\" has no effect without "
              "\"tailscale.com/proxy-group\" | remove it\n");
}

TEST(Annotations, WarnAboutLabelsThatShouldBeAnnotations) {
    const auto dump = [](std::string_view label) {
        return Planned(fmt::format("apiVersion: v1\nkind: Service\nmetadata: {{name: web, "
                                   "namespace: shop, labels: {{{}}}}}\nspec: {{ports: [{{port: "
                                   "80}}]}}\n",
                                   label))
            .dump();
    };
    EXPECT_EQ(dump("tailscale.com/parent-resource: x"), "");
    EXPECT_EQ(dump("tailscale.com/proxy-class: ''"), "");
    EXPECT_EQ(dump("tailscale.com/proxy-class: small"),
              "3: warning [annotation-without-effect] Service/shop/web: "
              "\"tailscale.com/proxy-class\" has no effect: the Service is not exposed | add "
              "tailscale.com/expose: \"true\", or \"type: LoadBalancer\" with "
              "\"loadBalancerClass: tailscale\"\n");
    EXPECT_EQ(dump("tailscale.com/expose: 'true'"),
              "3: warning [unknown-label] Service/shop/web: unknown label \"tailscale.com/expose\" "
              "| it is an annotation: move it to metadata.annotations\n");
    EXPECT_EQ(dump("tailscale.com/proxyclass: small"),
              "3: warning [unknown-label] Service/shop/web: unknown label "
              "\"tailscale.com/proxyclass\" | did you mean \"tailscale.com/proxy-class\"?\n");
}

TEST(Annotations, WarnAboutAClassWithoutTheType) {
    EXPECT_EQ(Planned(service("web", "loadBalancerClass: tailscale, ports: [{port: 80}]")).dump(),
              "2: warning [not-a-load-balancer] Service/shop/web: \"loadBalancerClass: tailscale\" "
              "without \"type: LoadBalancer\" | add \"type: LoadBalancer\": Kubernetes rejects the "
              "class on other types\n");
}

}  // namespace
}  // namespace renderer::plan
