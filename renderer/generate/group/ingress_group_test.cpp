// The controller and the pods rely on testdata/contract/ingress.md: its texts are compared with the
// objects of one group of each type.
#include "renderer/generate/group/ingress_group.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/generate/contract_testing.h"
#include "renderer/generate/generate.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::generate {
namespace {

constexpr std::string_view kValues =
    "tailrender: {tailnetDomain: tail1234.ts.net, namespace: tailscale}\nloginServer: "
    "https://hs.lan\napiServerProxyConfig: {allowImpersonation: 'true'}";

std::string stream(std::string_view type) {
    return fmt::format(
               "apiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {{name: "
               "in}}\nspec: "
               "{{type: {}, replicas: 2}}\n---\n",
               type) +
           plan::service("w", "ports: [{port: 80}]") + "---\n" +
           (type == "ingress"
                ? plan::ingress(
                      "tls: [{hosts: [host]}], defaultBackend: {service: {name: w, port: "
                      "{number: 80}}}",
                      "tailscale.com/proxy-group: in, tailscale.com/http-redirect: 'true'") +
                      "---\n" +
                      plan::exposed("tailscale.com/proxy-group: in", "ports: [{port: 80}]", "db")
                : "");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

struct Rendered {
    plan::Planned run;
    Objects objects;

    explicit Rendered(std::string_view type, std::string_view dataplane = "containerboot")
        : run(stream(type),
              replaced(std::string(kValues), "namespace: tailscale",
                       fmt::format("namespace: tailscale, dataplane: {}", dataplane))),
          objects(generate(run.plan)) {
        EXPECT_EQ(run.dump(), "");
    }
    [[nodiscard]] const Value* find(std::string_view name) const {
        for (const Object& object : objects) {
            if (object.object_name() == name) {
                return &object.root;
            }
        }
        return nullptr;
    }
    [[nodiscard]] std::string text(std::string_view name,
                                   std::initializer_list<std::string_view> path) const {
        const Value* object = find(name);
        const Value* found = object == nullptr ? nullptr : object->at(path);
        return found == nullptr     ? "(absent)"
               : found->is_string() ? std::string(found->text())
                                    : write_json(*found);
    }
};

std::string page() {
    std::ifstream file(std::string(TESTDATA) + "/contract/ingress.md");
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns true if the page has the text, ignoring the indentation and the line ends of its blocks.
bool page_has(std::string_view text) {
    std::string joined;
    for (const char c : page()) {
        const bool blank = c == '\n' || c == ' ';
        joined += blank ? "" : std::string(1, c);
    }
    std::string wanted;
    for (const char c : text) {
        wanted += c == ' ' ? "" : std::string(1, c);
    }
    return joined.find(wanted) != std::string::npos;
}

TEST(IngressContract, DescribesEachTailscaleService) {
    const Rendered in("ingress");
    EXPECT_EQ(in.text("ConfigMap/tailscale/tailrender-group-in", {"data"}),
              R"({"host.json":"{\"name\":\"svc:host\",\"parent\":\"Ingress/shop/site\",)"
              R"(\"ports\":[\"tcp:443\",\"tcp:80\"],\"tags\":[\"tag:k8s\"],)"
              R"(\"certificate\":\"host.tail1234.ts.net\"}","shop-db.json":)"
              R"("{\"name\":\"svc:shop-db\",\"parent\":\"Service/shop/db\",)"
              R"(\"ports\":[\"do-not-validate\"],\"tags\":[\"tag:k8s\"]}"})");
    EXPECT_EQ(in.text("ConfigMap/tailscale/tailrender-group-in", {"metadata", "annotations"}),
              R"({"tailrender.dev/contract":"v1","tailrender.dev/parent":"ProxyGroup/in"})");
    for (const std::string_view key : {"name", "parent", "ports", "tags", "certificate"}) {
        EXPECT_TRUE(page_has(fmt::format("| `{}` |", key))) << key;
    }
}

TEST(IngressContract, ConfiguresTheProxies) {
    const std::string config =
        R"({"Version":"alpha0","Locked":false,"ServerURL":"https://hs.lan",)"
        R"("AuthKey":"file:/etc/tsauth/in-1/authkey","Hostname":"in-1","acceptDNS":false,)"
        R"("acceptRoutes":false,"AdvertiseServices":["svc:host","svc:shop-db"]})";
    EXPECT_EQ(Rendered("ingress").text("Secret/tailscale/in-1-config", {"data", "cap-106.hujson"}),
              encode_base64(config));
    std::string shown = replaced(config, "in-1/", "<pod>/");
    shown = replaced(shown, R"("in-1")", R"("…")");
    shown = replaced(shown, "https://hs.lan", "…");
    EXPECT_TRUE(page_has(replaced(shown, R"("svc:host","svc:shop-db")", R"("svc:…")"))) << shown;
}

TEST(IngressContract, ServesIngressesUnderTheirNames) {
    EXPECT_EQ(Rendered("ingress").text("ConfigMap/tailscale/in-ingress-config",
                                       {"binaryData", "serve-config.json"}),
              encode_base64(
                  R"({"Services":{"svc:host":{"TCP":{"443":{"HTTPS":true},"80":{"HTTP":true}},)"
                  R"("Web":{"host.tail1234.ts.net:443":{"Handlers":{"/":{"Proxy":)"
                  R"("http://w.shop.svc.cluster.local:80/"}}},"host.tail1234.ts.net:80":)"
                  R"({"Handlers":{"/":{"Redirect":"301:https://${HOST}${REQUEST_URI}"}}}}}}})"));
}

TEST(IngressContract, MountsWhatTheControllerWritesBesideIt) {
    const Rendered in("ingress");
    const Value* volumes =
        in.find("StatefulSet/tailscale/in")->at({"spec", "template", "spec", "volumes"});
    ASSERT_NE(volumes, nullptr);
    EXPECT_EQ(
        write_json(volumes->items().back()),
        R"({"name":"in-ingress-config","projected":{"sources":[{"configMap":)"
        R"({"name":"in-ingress-config"}},{"configMap":{"name":"tailrender-ingress-addresses",)"
        R"("items":[{"key":"in.json","path":"ingress-config.json"}],"optional":true}}]}})");
    EXPECT_TRUE(
        page_has("| configMap | `tailrender-ingress-addresses` | yes | key `<pg>.json` as "
                 "`ingress-config.json` |"));
}

TEST(IngressContract, LeavesTheKeyOfAnApiProxyToTheController) {
    const Rendered api("kube-apiserver");
    EXPECT_EQ(api.find("Secret/tailscale/in-0-config"), nullptr);
    EXPECT_EQ(api.find("ServiceAccount/tailscale/in"), nullptr);
    const std::string config =
        api.text("ConfigMap/tailscale/tailrender-group-in", {"data", "in-0.hujson"});
    EXPECT_EQ(config,
              R"({"Version":"v1alpha1","State":"kube:in-0","LogLevel":"debug",)"
              R"("App":"k8s-operator-proxygroup-kube-apiserver","ServerURL":"https://hs.lan",)"
              R"("LocalPort":9002,"HealthCheckEnabled":true,"Hostname":"in-0","APIServerProxy":)"
              R"({"Enabled":true,"Mode":"auth","ServiceName":"svc:in","IssueCerts":true}})");
    std::string shown = replaced(config, "kube:in-0", "kube:<pod>");
    shown = replaced(replaced(shown, R"("in-0")", R"("…")"), "https://hs.lan", "…");
    EXPECT_TRUE(page_has(replaced(shown, "svc:in", "svc:<host>"))) << shown;
    EXPECT_NE(api.text("ConfigMap/tailscale/tailrender-group-in", {"data", "in-1.hujson"})
                  .find(R"("IssueCerts":false)"),
              std::string::npos);
}

TEST(IngressContract, PodsOfTailrenderProxyServeTheKubernetesApi) {
    const Rendered api("kube-apiserver", "native");
    const auto datum = [&](std::string_view key) {
        return decode_base64(api.text("Secret/tailscale/in-1-config", {"data", key})).value();
    };
    EXPECT_EQ(datum("cap-106.hujson"),
              R"({"Version":"alpha0","Locked":false,"ServerURL":"https://hs.lan",)"
              R"("AuthKey":"file:/etc/tsauth/in-1/authkey","Hostname":"in-1","acceptDNS":false,)"
              R"("acceptRoutes":false,"AdvertiseServices":["svc:in"],"OperatorUser":"api-proxy"})");
    const std::string shown = replaced(
        replaced(datum("serve-config"), "in.tail1234.ts.net", "<name>"), "svc:in", "svc:<host>");
    EXPECT_TRUE(page_has(shown)) << shown;
    EXPECT_EQ(api.text("ConfigMap/tailscale/tailrender-group-in", {"data"}),
              R"({"in.json":"{\"name\":\"svc:in\",\"parent\":\"ProxyGroup/in\",)"
              R"(\"ports\":[\"tcp:443\"],\"tags\":[\"tag:k8s\"],)"
              R"(\"certificate\":\"in.tail1234.ts.net\"}"})");
    EXPECT_EQ(api.text("Role/tailscale/in", {"rules"}),
              R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":["in-0","in-1",)"
              R"("in.tail1234.ts.net"],"verbs":["get","update","patch"]},{"apiGroups":[""],)"
              R"("resources":["secrets"],"resourceNames":["in-0-config","in-0-auth","in-1-config",)"
              R"("in-1-auth"],"verbs":["get","watch"]}])");
    const Value& pod = *api.find("StatefulSet/tailscale/in")->at({"spec", "template", "spec"});
    const auto containers = pod.find("containers")->items();
    ASSERT_EQ(containers.size(), 2U);
    for (const std::string_view name :
         {"TS_INTERNAL_APP", "TS_SERVE_CONFIG", "TS_EXPERIMENTAL_CERT_SHARE"}) {
        const std::string row =
            fmt::format("| `tailscale` | `{}` | `{}`", name, variable(containers[0], name));
        EXPECT_TRUE(page_has(row)) << row;
        EXPECT_EQ(variable(containers[1], name), "");
    }
    EXPECT_EQ(variable(containers[1], "TAILRENDER_API_SERVICE"), "svc:in");
    EXPECT_TRUE(page_has(fmt::format("The pod has {} seconds",
                                     spelling_of(pod.find("terminationGracePeriodSeconds")))));
    EXPECT_EQ(text_of(pod.find("serviceAccountName")), "kube-apiserver-auth-proxy");
}

TEST(IngressContract, ASettingSaysWhatApiProxiesLetPassUnrecorded) {
    const Rendered api("kube-apiserver", "native, apiProxyUnrecorded: [nodes/proxy]");
    const Value& pod = *api.find("StatefulSet/tailscale/in")->at({"spec", "template", "spec"});
    EXPECT_EQ(variable(pod.find("containers")->items()[1], "TAILRENDER_API_UNRECORDED"),
              "nodes/proxy");
}

// No pod restarts because of it: pods read the changes while they run.
TEST(IngressGroup, OneServiceMoreLeavesTheStatefulSetAsItIs) {
    const auto texts = [](const std::string& input) {
        const plan::Planned run(input, kValues);
        EXPECT_EQ(run.dump(), "");
        std::map<std::string, std::string> made;
        for (const Object& object : generate(run.plan)) {
            made.emplace(object.object_name(), write_json(object.root));
        }
        return made;
    };
    const auto before = texts(stream("ingress"));
    const auto after =
        texts(stream("ingress") + "---\n" +
              plan::ingress("tls: [{hosts: [a]}], defaultBackend: {service: {name: w, "
                            "port: {number: 80}}}",
                            "tailscale.com/proxy-group: in", "more"));
    std::string changed;
    ASSERT_EQ(before.size(), after.size());
    for (const auto& [name, text] : after) {
        changed += before.at(name) == text ? "" : name + " ";
    }
    EXPECT_EQ(changed,
              "ConfigMap/tailscale/in-ingress-config ConfigMap/tailscale/tailrender-group-in "
              "Role/tailscale/in Secret/tailscale/in-0-config Secret/tailscale/in-1-config ");
}

// These settings of a class are not part of the StatefulSet.
TEST(IngressContract, TakesItsPartOfAClass) {
    const auto config = [](std::string_view type) {
        const plan::Planned run(
            "apiVersion: v1\nkind: Node\nmetadata: {name: w1}\nstatus: {addresses: [{type: "
            "ExternalIP, address: 198.51.100.4}]}\n---\napiVersion: tailscale.com/v1alpha1\nkind: "
            "ProxyClass\nmetadata: {name: c}\nspec: {metrics: {enable: true}, tailscale: "
            "{acceptRoutes: true}, staticEndpoints: {nodePort: {ports: [{port: 31001}]}}}\n---\n" +
                fmt::format(
                    "apiVersion: tailscale.com/v1alpha1\nkind: ProxyGroup\nmetadata: {{name: "
                    "in}}\nspec: {{type: {}, replicas: 1, proxyClass: c}}\n---\n",
                    type) +
                (type == "ingress"
                     ? plan::exposed("tailscale.com/proxy-group: in, tailscale.com/hostname: db")
                     : ""),
            kValues);
        EXPECT_EQ(run.dump(), "");
        const plan::Workload& workload = run.workload();
        const auto& group = std::get<plan::ProxyGroupPlan>(workload.feature);
        const Offered offered = offered_by(workload, run.plan);
        return type == "ingress" ? group_config(workload, group, offered, 0)
                                 : api_config(workload, group, offered, 0);
    };
    EXPECT_TRUE(config("ingress").ends_with(R"("acceptRoutes":true,"AdvertiseServices":["svc:db"],)"
                                            R"("StaticEndpoints":["198.51.100.4:31001"]})"))
        << config("ingress");
    EXPECT_TRUE(
        config("kube-apiserver")
            .ends_with(R"("LocalPort":9002,"MetricsEnabled":true,"HealthCheckEnabled":true,)"
                       R"("Hostname":"in-0","AcceptRoutes":true,"APIServerProxy":)"
                       R"({"Enabled":true,"Mode":"auth","ServiceName":"svc:in",)"
                       R"("IssueCerts":true},"StaticEndpoints":["198.51.100.4:31001"]})"))
        << config("kube-apiserver");
}

TEST(IngressContract, LimitsTheRightsOfThePods) {
    EXPECT_EQ(Rendered("ingress").text("Role/tailscale/in", {"rules"}),
              R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":["in-0","in-1",)"
              R"("host.tail1234.ts.net"],"verbs":["get","update","patch"]}])");
    EXPECT_EQ(Rendered("ingress", "native").text("Role/tailscale/in", {"rules"}),
              R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":["in-0","in-1",)"
              R"("host.tail1234.ts.net"],"verbs":["get","update","patch"]},{"apiGroups":[""],)"
              R"("resources":["secrets"],"resourceNames":["in-0-config","in-0-auth",)"
              R"("in-1-config","in-1-auth"],"verbs":["get","watch"]},{"apiGroups":[""],)"
              R"("resources":["configmaps"],"resourceNames":["in-ingress-config",)"
              R"("tailrender-ingress-addresses"],"verbs":["watch"]}])");
    EXPECT_EQ(Rendered("kube-apiserver").text("Role/tailscale/in", {"rules"}),
              R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":["in-0","in-1",)"
              R"("in.tail1234.ts.net"],"verbs":["get","update","patch"]},{"apiGroups":[""],)"
              R"("resources":["secrets"],"resourceNames":["in-0-config","in-1-config"],)"
              R"("verbs":["get","watch"]}])");
    EXPECT_TRUE(
        page_has("| both | `<pod>` of every replica, then every `certificate` | get, "
                 "update, patch |"));
    EXPECT_TRUE(page_has("| `k8s-proxy` | `<pod>-config` of every replica | get, watch |"));
}

}  // namespace
}  // namespace renderer::generate
