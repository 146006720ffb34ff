#include "runtime/operate/status/status_verb.h"

#include <gtest/gtest.h>

#include <optional>

#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/testing/status_test.h"

namespace runtime::operate {
namespace {

using renderer::text_of;
using renderer::Value;

// Forbids to list some kinds.
struct Guarded : FakeServer {
    explicit Guarded(FakeKube& its_kube) : kube(its_kube) {}
    HttpReply answer(const HttpRequest& request, const std::string& path,
                     const std::shared_ptr<Stream>& stream) override {
        for (const std::string& kind : forbidden) {
            if (path.find("/" + kind + "?") != std::string::npos || path.ends_with("/" + kind)) {
                return json_reply(
                    403, Value::map({{"kind", "Status"}, {"message", kind + " are forbidden"}}));
            }
        }
        return kube.answer(request, path, stream);
    }
    FakeKube& kube;
    std::vector<std::string> forbidden;
};

// Answers 404 to every path.
struct StatusServer : FakeServer {
    HttpReply answer(const HttpRequest&, const std::string&,
                     const std::shared_ptr<Stream>&) override {
        return {.status = 404, .body = "<h1>not found</h1>"};
    }
};

class ShownStatusTest : public ControllerTest {
protected:
    ShownStatusTest() {
        put_controller(1, 1);
        cluster.add_proxy("ts-web-bcdfg");
        cluster.add_proxy("ts-db-bcdfg");
    }

    void put_controller(int wanted, int ready) {
        const char* deployment = R"({"metadata":{"name":"operator"},"spec":{"template":{"spec":)"
                                 R"({"containers":[{"args":["controller"]}]}}}})";
        Value object = json(deployment);
        object.find("spec")->put("replicas", wanted);
        object.put("status", Value::map({{"readyReplicas", ready}}));
        kube.put(FakeCluster::path("deployments", "operator"), std::move(object));
    }
    void renew_lease() {
        kube.put(
            "/apis/coordination.k8s.io/v1/namespaces/tailscale/leases/tailrender-controller",
            Value::map({{"metadata", Value::map({{"name", "tailrender-controller"}})},
                        {"spec", Value::map({{"holderIdentity", "operator-1"},
                                             {"renewTime", format_microseconds(loop.now())}})}}));
    }
    void run_controller() {
        start();
        run(kMinute);
        renew_lease();
    }
    // Stops the controller; its pod and its proxies stay.
    void stop_controller() {
        process.reset();
        put_controller(0, 0);
    }
    void change_pod(const std::string& name, const std::string& key, const std::string& value) {
        Value pod = kube.find(FakeCluster::path("pods", name))->clone();
        pod.put(Value(key), json(value));
        kube.put(FakeCluster::path("pods", name), std::move(pod));
    }
    // Returns the output, or the problem.
    std::string status(StatusForm form = StatusForm::Table) {
        network.add("https://kube", guarded);
        FakeTransport transport(network);
        kube::Client client(transport, {.server = "https://kube", .ca_file = "", .token_file = ""});
        std::string said, result = "has not ended";
        controller_runs.reset();
        show_status({loop, client, ns, [&said](const std::string& line) { said += line; }}, form,
                    [&](const std::string& problem, bool runs) {
                        result = problem;
                        controller_runs = runs;
                    });
        loop.run_for(kSecond);
        return result.empty() ? said : result;
    }
    // Returns a row of the table, with one space between its cells.
    std::string row(const std::string& pod, StatusForm form = StatusForm::Table) {
        const std::string all = "\n" + status(form);
        const std::size_t begin = all.find("\n" + pod + " ");
        if (begin == std::string::npos) {
            return {};
        }
        std::string line = all.substr(begin + 1, all.find('\n', begin + 1) - begin - 1);
        while (line.find("  ") != std::string::npos) {
            line.erase(line.find("  "), 1);
        }
        return line;
    }
    Value devices(const std::string& text) {
        const Value report = json(text);
        return report.find("devices")->clone();
    }

    Guarded guarded{kube};
    std::string ns{FakeCluster::kNamespace};
    std::optional<bool> controller_runs;
};

TEST_F(ShownStatusTest, IsAShortTableAWideOneOrJson) {
    run_controller();
    EXPECT_EQ(
        status(),
        "controller: running\n"
        "NAME            STATE   FQDN                             PARENT                     "
        "PROBLEM\n"
        "ts-db-bcdfg-0   joined  ts-db-bcdfg-0.tail1a2b3.ts.net   Service/apps/ts-db-bcdfg   -\n"
        "ts-web-bcdfg-0  joined  ts-web-bcdfg-0.tail1a2b3.ts.net  Service/apps/ts-web-bcdfg  -\n");
    EXPECT_EQ(controller_runs, true);
    change_pod("ts-web-bcdfg-0", "metadata",
               R"({"name":"ts-web-bcdfg-0","namespace":"tailscale","creationTimestamp":")" +
                   format_seconds(loop.now() - 5 * kMinute) + R"("})");
    EXPECT_EQ(row("NAME", StatusForm::Wide),
              "NAME STATE FQDN PARENT HOSTNAME ADDRESSES TAGS TAILNET AGE PROBLEM");
    EXPECT_EQ(row("ts-web-bcdfg-0", StatusForm::Wide),
              "ts-web-bcdfg-0 joined ts-web-bcdfg-0.tail1a2b3.ts.net Service/apps/ts-web-bcdfg "
              "ts-web-bcdfg-0 100.64.0.2,fd7a:115c:a1e0::2 tag:k8s - 5m -");
    const Value report = json(status(StatusForm::Json));
    EXPECT_EQ(text_of(report.at({"controller", "state"})), "running");
    EXPECT_EQ(text_of(report.at({"controller", "lastSeen"})).size(), 20U);
    const Value& first = report.find("devices")->items().front();
    for (const char* key :
         {"pod", "parent", "hostname", "fqdn", "addresses", "device", "tags", "tailnet", "state"}) {
        EXPECT_NE(first.find(key), nullptr) << key;
    }
    EXPECT_EQ(text_of(first.find("pod")), "ts-db-bcdfg-0");
    EXPECT_EQ(report.find("blocked")->size(), 0U);
    EXPECT_EQ(report.find("leftOut")->size(), 0U);
}

TEST_F(ShownStatusTest, SaysThatTheControllerDoesNotRun) {
    run_controller();
    const std::string seen = format_seconds(loop.now());
    stop_controller();
    run(kMinute);
    EXPECT_TRUE(
        status().starts_with("controller: not running (Deployment \"operator\" is scaled "
                             "to 0); devices are as of " +
                             seen + "\nNAME "))
        << status();
    EXPECT_EQ(controller_runs, false);
    const Value report = json(status(StatusForm::Json));
    EXPECT_EQ(text_of(report.at({"controller", "state"})), "not running");
    EXPECT_EQ(text_of(report.at({"controller", "reason"})),
              "Deployment \"operator\" is scaled to 0");
    EXPECT_EQ(text_of(report.at({"controller", "lastSeen"})), seen);
    EXPECT_EQ(controller_runs, false);
}

TEST_F(ShownStatusTest, DoesNotShowOldStatesOfDeletedPods) {
    run_controller();
    stop_controller();
    const std::string web = "ts-web-bcdfg-0 ", name = " ts-web-bcdfg-0.tail1a2b3.ts.net";
    const std::string parent = " Service/apps/ts-web-bcdfg ";
    ASSERT_EQ(row("ts-web-bcdfg-0"), web + "joined" + name + parent + "-");
    cluster.refused_pods.insert("ts-web-bcdfg-0");
    kube.erase(FakeCluster::path("pods", "ts-web-bcdfg-0"));
    EXPECT_EQ(row("ts-web-bcdfg-0"), web + "restarting" + name + parent + "its pod does not exist");
    cluster.remove_proxy("ts-web-bcdfg");
    EXPECT_EQ(row("ts-web-bcdfg-0"),
              web + "leaving" + name + parent + "its StatefulSet was deleted");
    EXPECT_EQ(text_of(devices(status(StatusForm::Json)).items()[1].find("state")), "leaving");
    Value set = kube.find(FakeCluster::path("statefulsets", "ts-db-bcdfg"))->clone();
    set.find("spec")->put("replicas", 0);
    kube.put(FakeCluster::path("statefulsets", "ts-db-bcdfg"), std::move(set));
    EXPECT_TRUE(row("ts-db-bcdfg-0").ends_with(" its StatefulSet has 0 replicas"));
}

TEST_F(ShownStatusTest, FindsTheApiProxyInANamespaceOfItsOwn) {
    static constexpr std::string_view kApart = "tailscale-api";
    const auto path = [](std::string_view plural, std::string_view name) {
        return FakeCluster::path(plural, name, kApart);
    };
    const std::string pod = "kube-apiserver-proxy-0";
    FakeCluster apart(loop, kube, tailnet, kApart);
    for (const std::string& name : {pod, pod + "-auth"}) {
        kube.put(path("secrets", name),
                 Value::map({{"metadata", Value::map({{"name", name}, {"namespace", kApart}})}}));
    }
    apart.add_api_proxy();
    api_ns = kApart;
    run_controller();
    Value deployment = kube.find(FakeCluster::path("deployments", "operator"))->clone();
    deployment.find("spec")->put("template",
                                 json(R"({"spec":{"containers":[{"args":["controller"],)"
                                      R"("env":[{"name":"API_PROXY_NAMESPACE",)"
                                      R"("value":"tailscale-api"}]}]}})"));
    kube.put(FakeCluster::path("deployments", "operator"), std::move(deployment));
    EXPECT_EQ(row(pod),
              pod + " joined " + pod + ".tail1a2b3.ts.net Deployment/tailscale/operator -");
    guarded.forbidden = {"tailscale-api/statefulsets/kube-apiserver-proxy"};
    EXPECT_NE(status().find("cannot read /apis/apps/v1/namespaces/tailscale-api/statefulsets/"
                            "kube-apiserver-proxy: "),
              std::string::npos)
        << status();
    cluster.remove_proxy("ts-db-bcdfg");
    EXPECT_TRUE(row("ts-db-bcdfg-0").ends_with(" its StatefulSet was deleted"));
    EXPECT_TRUE(row(pod).ends_with(" -")) << row(pod);
    guarded.forbidden.clear();
    kube.erase(path("statefulsets", "kube-apiserver-proxy"));
    EXPECT_EQ(row(pod), pod + " leaving " + pod +
                            ".tail1a2b3.ts.net Deployment/tailscale/operator its StatefulSet was "
                            "deleted");
}

TEST_F(ShownStatusTest, LeavesAloneWhatTheControllerKnowsToLeave) {
    run_controller();
    cluster.remove_proxy("ts-web-bcdfg");
    run(5 * kSecond);
    EXPECT_EQ(row("ts-web-bcdfg-0"),
              "ts-web-bcdfg-0 leaving ts-web-bcdfg-0.tail1a2b3.ts.net Service/apps/ts-web-bcdfg -");
}

TEST_F(ShownStatusTest, ShowsProxiesBeforeTheControllerEverRan) {
    put_controller(1, 0);
    EXPECT_EQ(row("ts-web-bcdfg-0"),
              "ts-web-bcdfg-0 waiting - Service/apps/ts-web-bcdfg its pod does not exist");
    run(kSecond);
    EXPECT_EQ(row("ts-web-bcdfg-0"), "ts-web-bcdfg-0 waiting - Service/apps/ts-web-bcdfg -");
    EXPECT_TRUE(status().starts_with(
        "controller: not running (Deployment \"operator\": 0 of 1 ready; it has no pod)\nNAME "))
        << status();
    EXPECT_EQ(controller_runs, false);
}

TEST_F(ShownStatusTest, ShowsProxiesThatTheControllerHasNotSeen) {
    run_controller();
    stop_controller();
    cluster.add_proxy("ts-late-bcdfg", 2);
    run(kSecond);
    EXPECT_EQ(row("ts-late-bcdfg-1"), "ts-late-bcdfg-1 waiting - Service/apps/ts-late-bcdfg -");
    EXPECT_NE(row("ts-web-bcdfg-0"), "");
}

TEST_F(ShownStatusTest, SaysWhyAPodDoesNotRun) {
    run_controller();
    change_pod("ts-web-bcdfg-0", "status",
               R"({"containerStatuses":[{"image":"tailscale/tailscale:v1.96.4","state":)"
               R"({"waiting":{"reason":"ImagePullBackOff"}}}]})");
    EXPECT_TRUE(
        row("ts-web-bcdfg-0").ends_with(" pod: ImagePullBackOff tailscale/tailscale:v1.96.4"));
    change_pod("ts-web-bcdfg-0", "status",
               R"({"conditions":[{"type":"PodScheduled","status":"False","reason":)"
               R"("Unschedulable","message":"no node. At all."}]})");
    EXPECT_TRUE(row("ts-web-bcdfg-0").ends_with(" pod: Unschedulable: no node"));
}

TEST_F(ShownStatusTest, KeepsWhatTheControllerHasSaidOfIt) {
    kube.put(
        FakeCluster::path("configmaps", "tailrender-devices"),
        json(R"({"metadata":{"name":"tailrender-devices"},"data":{"devices.jsonl":)"
             R"("{\"pod\":\"ts-web-bcdfg-0\",\"state\":\"waiting\",\"problem\":\"no key\"}\n"}})"));
    EXPECT_EQ(row("ts-web-bcdfg-0"), "ts-web-bcdfg-0 waiting - - no key; its pod does not exist");
}

TEST_F(ShownStatusTest, ReadsSecretsOnlyWhereNothingIsWrittenDown) {
    run_controller();
    const std::string table = status();
    guarded.forbidden = {"secrets"};
    EXPECT_EQ(status(), table);
    kube.erase(FakeCluster::path("configmaps", "tailrender-devices"));
    EXPECT_TRUE(status().ends_with(
        "left out: cannot list /api/v1/namespaces/tailscale/secrets: secrets are forbidden\n"));
    guarded.forbidden = {};
    process.reset();
    kube.erase(FakeCluster::path("configmaps", "tailrender-devices"));
    EXPECT_EQ(status(), table) << "from the state Secrets";
}

TEST_F(ShownStatusTest, ShowsWhatMayBeRead) {
    run_controller();
    guarded.forbidden = {"pods", "deployments", "statefulsets", "leases"};
    const auto refused = [](const std::string& api, const std::string& kind) {
        return "left out: cannot list " + api + "/namespaces/tailscale/" + kind + ": " + kind +
               " are forbidden\n";
    };
    const std::string said = status();
    EXPECT_TRUE(said.starts_with(
        "controller: unknown (neither Deployments nor Leases can be listed)\nNAME "))
        << said;
    EXPECT_TRUE(
        said.ends_with(" Service/apps/ts-web-bcdfg  -\n" + refused("/apis/apps/v1", "deployments") +
                       refused("/apis/apps/v1", "statefulsets") + refused("/api/v1", "pods") +
                       refused("/apis/coordination.k8s.io/v1", "leases")))
        << said;
    EXPECT_EQ(controller_runs, false);
    EXPECT_EQ(json(status(StatusForm::Json)).find("leftOut")->size(), 4U);
    guarded.forbidden = {"configmaps", "secrets"};
    EXPECT_EQ(row("ts-web-bcdfg-0"), "ts-web-bcdfg-0 unknown - Service/apps/ts-web-bcdfg -");
    guarded.forbidden = {"configmaps", "secrets", "statefulsets"};
    EXPECT_EQ(status(),
              "cannot list /api/v1/namespaces/tailscale/configmaps: configmaps are forbidden");
    EXPECT_EQ(controller_runs, false);
}

TEST_F(ShownStatusTest, TakesNoWebServerForACleanCluster) {
    StatusServer server;
    const std::string url = "https://web";
    network.add(url, server);
    FakeTransport transport(network);
    kube::Client client(transport, {.server = url, .ca_file = "", .token_file = ""});
    std::string result;
    show_status({loop, client, ns, [](const std::string&) {}}, StatusForm::Table,
                [&result](const std::string& problem, bool) { result = problem; });
    run(kSecond);
    EXPECT_EQ(result,
              "cannot list /api/v1/namespaces/tailscale/configmaps: HTTP status 404: the server "
              "there is not a Kubernetes API server");
}

TEST_F(ShownStatusTest, TakesNoOtherNamespaceForACleanOne) {
    ns = "nope";
    for (const StatusForm form : {StatusForm::Table, StatusForm::Json}) {
        EXPECT_EQ(status(form),
                  "namespace \"nope\" has neither Deployment \"operator\" nor rendered proxies: "
                  "pass their namespace with -n NAMESPACE");
    }
}

TEST_F(ShownStatusTest, ShowsTailscaleServices) {
    for (const char* set : {"ts-web-bcdfg", "ts-db-bcdfg"}) {
        cluster.remove_proxy(set);
    }
    renew_lease();
    Value data = Value::map({});
    data.put("services.jsonl",
             R"({"service":"svc:docs","group":"front","parent":"Ingress/apps/docs",)"
             R"("fqdn":"docs.tail1a2b3.ts.net","addresses":["100.64.0.9","fd7a::9"],"tailnet":"",)"
             R"("state":"refused","problem":"it is another's"})"
             "\n{\"omitted\":2}\n");
    kube.put(FakeCluster::path("configmaps", "tailrender-devices"),
             Value::map({{"metadata", Value::map({{"name", "tailrender-devices"}})},
                         {"data", std::move(data)}}));
    EXPECT_EQ(status(),
              "controller: running\nno proxies in namespace \"tailscale\"\n\n"
              "SERVICE   ADDRESS     STATE    PARENT             PROBLEM\n"
              "svc:docs  100.64.0.9  refused  Ingress/apps/docs  it is another's\n"
              "and 2 more\n");
    EXPECT_NE(status(StatusForm::Wide)
                  .find("svc:docs  100.64.0.9,fd7a::9  refused  Ingress/apps/docs  "
                        "docs.tail1a2b3.ts.net  front  -        it is another's\n"),
              std::string::npos)
        << status(StatusForm::Wide);
    const Value report = json(status(StatusForm::Json));
    EXPECT_EQ(text_of(report.find("services")->items()[0].find("state")), "refused");
    kube.erase(FakeCluster::path("configmaps", "tailrender-devices"));
    cluster.offer("front", Value::map({{"broker.json",
                                        R"({"name":"svc:broker","parent":"Service/apps/broker",)"
                                        R"("ports":["do-not-validate"],"tags":["tag:b"]})"}}));
    EXPECT_TRUE(status().ends_with("\nsvc:broker  -        waiting  Service/apps/broker  -\n"))
        << status();
}

TEST_F(ShownStatusTest, ReadsTheTablesOfAllConfigMaps) {
    for (const auto& [map, pod] : {std::pair("tailrender-devices", "ts-web-bcdfg-0"),
                                   std::pair("tailrender-devices-3", "ts-db-bcdfg-0")}) {
        kube.put(FakeCluster::path("configmaps", map),
                 json(fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"devices.jsonl":)"
                                  R"("{{\"pod\":\"{}\",\"state\":\"waiting\",)"
                                  R"(\"problem\":\"no key\"}}\n"}}}})",
                                  map, pod)));
        EXPECT_TRUE(row(pod).starts_with(fmt::format("{} waiting - - no key", pod))) << row(pod);
    }
}

TEST_F(ShownStatusTest, SaysThatThereAreNoProxies) {
    for (const char* set : {"ts-web-bcdfg", "ts-db-bcdfg"}) {
        cluster.remove_proxy(set);
    }
    renew_lease();
    EXPECT_EQ(status(), "controller: running\nno proxies in namespace \"tailscale\"\n");
    EXPECT_EQ(devices(status(StatusForm::Json)).size(), 0U);
}

TEST_F(ShownStatusTest, TellsHowToConfirmRemovals) {
    run_controller();
    process.reset();
    const std::string path = FakeCluster::path("configmaps", "tailrender-devices");
    Value ledger = kube.find(path)->clone();
    ledger.find("data")->put("blocked-removals.json",
                             R"({"token":"2-3fa9c1","pods":["ts-db-bcdfg-0","ts-web-bcdfg-0"]})");
    kube.put(path, std::move(ledger));
    const std::string command =
        "kubectl annotate --overwrite configmap tailrender-devices -n tailscale "
        "tailrender.dev/confirm-removals=2-3fa9c1";
    const std::string said = status();
    EXPECT_TRUE(
        said.ends_with("\nts-db-bcdfg-0,ts-web-bcdfg-0 have disappeared, and none is removed until "
                       "you confirm it: " +
                       command + "\n"))
        << said;
    const Value report = json(status(StatusForm::Json));
    const Value& blocked = report.find("blocked")->items().front();
    EXPECT_EQ(text_of(blocked.find("token")), "2-3fa9c1");
    EXPECT_EQ(text_of(blocked.find("command")), command);
    EXPECT_EQ(blocked.find("pods")->size(), 2U);
}

}  // namespace
}  // namespace runtime::operate
