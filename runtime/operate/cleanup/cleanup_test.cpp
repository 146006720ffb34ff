#include "runtime/operate/cleanup/cleanup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "renderer/contract/annotations.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/controller/relays/relay_objects.h"
#include "runtime/kube/lease.h"
#include "runtime/testing/cleanup_test.h"

namespace runtime::operate {
namespace {

using renderer::Value;

TEST_F(CleanupTest, AsksTheServerThatTheDeploymentNames) {
    EXPECT_EQ(clean({.force = true}), "");
    EXPECT_TRUE(said.starts_with("the controller's tailnet is at https://tailnet\n")) << said;
    put_operator(Value());
    EXPECT_EQ(clean({.force = true}), "");
    EXPECT_EQ(asked_server, "") << "Tailscale's own";
    network.add("https://flag", tailnet);
    EXPECT_EQ(clean({.force = true, .login_server = "https://flag"}), "");
    EXPECT_EQ(asked_server, "https://flag");
}

TEST_F(CleanupTest, ShowsNoServerACredentialThatItCannotBeSureOf) {
    const std::string hint =
        ": use --login-server URL (https://controlplane.tailscale.com is Tailscale's)";
    put_operator(Value::map({{"valueFrom", Value::map()}}));
    EXPECT_EQ(clean({.yes = true, .force = true}),
              "Deployment \"operator\" has OPERATOR_LOGIN_SERVER from another source" + hint);
    kube.erase(kOperator);
    EXPECT_EQ(clean({.yes = true, .force = true}),
              "no Deployment of the controller with its login server" + hint);
    EXPECT_EQ(asked_server, std::nullopt);
    EXPECT_EQ(tailnet.devices.size(), 2U);
}

// Answers 404 to every path.
struct WebServer : FakeServer {
    HttpReply answer(const HttpRequest&, const std::string&,
                     const std::shared_ptr<Stream>&) override {
        return {.status = 404, .body = "<h1>not found</h1>"};
    }
};

TEST_F(CleanupTest, TakesNoWebServerForACleanCluster) {
    WebServer server;
    network.add("https://kube", server);
    const std::string nothing =
        ": HTTP status 404: the server there is not a Kubernetes API server";
    EXPECT_EQ(clean({.yes = true}),
              "cannot list /apis/apps/v1/namespaces/tailscale/deployments" + nothing);
    EXPECT_EQ(said, "");
}

TEST_F(CleanupTest, TakesNoOtherNamespaceForACleanOne) {
    ns = "nope";
    const std::string wrong =
        "namespace \"nope\" has neither Deployment \"operator\" nor rendered proxies: pass their "
        "namespace with -n NAMESPACE";
    EXPECT_EQ(clean({.yes = true}), wrong);
    EXPECT_EQ(said, "");
}

TEST_F(CleanupTest, RefusesWhileTheApiProxyRunsInANamespaceOfItsOwn) {
    for (const char* set : {"ts-web-bcdfg", "ts-db-bcdfg"}) {
        cluster.remove_proxy(set);
    }
    put_operator(Value::map({{"value", "https://tailnet"}}), "tailscale-api");
    FakeCluster apart(loop, kube, tailnet, "tailscale-api");
    apart.add_api_proxy();
    loop.run_for(kMinute);
    EXPECT_EQ(clean({}),
              "proxies are still running, such as pod \"kube-apiserver-proxy-0\": remove the "
              "rendered manifests first, or use --force");
    put_operator(Value::map({{"value", "https://tailnet"}}));
    EXPECT_EQ(clean({}), "");
}

TEST_F(CleanupTest, RemovesADeviceThatOnlyAnAuthSecretNames) {
    for (const char* set : {"ts-web-bcdfg", "ts-db-bcdfg"}) {
        cluster.remove_proxy(set);
    }
    loop.run_for(kMinute);
    const std::string path = FakeCluster::path("secrets", "ts-web-bcdfg-0-auth");
    Value auth = kube.find(path)->clone();
    Value& annotations = *auth.find("metadata")->find("annotations");
    annotations.put(renderer::kDeviceNamedAnnotation, noted_device());
    annotations.erase(renderer::kDeviceAnnotation);
    kube.put(path, std::move(auth));
    kube.erase(FakeCluster::path("secrets", "ts-web-bcdfg-0"));
    EXPECT_EQ(clean({.yes = true}), "");
    EXPECT_TRUE(tailnet.devices.empty());
}

TEST_F(CleanupTest, RefusesWhileProxiesRun) {
    EXPECT_EQ(clean({.yes = true}),
              "proxies are still running, such as pod \"ts-db-bcdfg-0\": remove the rendered "
              "manifests first, or use --force");
    EXPECT_EQ(tailnet.devices.size(), 2U);
}

TEST_F(CleanupTest, RefusesWhileTheControllerRuns) {
    cluster.remove_proxy("ts-web-bcdfg");
    cluster.remove_proxy("ts-db-bcdfg");
    loop.run_for(kMinute);
    bool runs = true;
    const std::function<void()> renew = [&] {
        if (!runs) {
            return;
        }
        // The controller's clock is an hour late.
        const std::string now = format_microseconds(loop.now() - 60 * kMinute);
        kube.put("/apis/coordination.k8s.io/v1/namespaces/tailscale/leases/tailrender-controller",
                 Value::map({{"metadata", Value::map({{"name", "tailrender-controller"},
                                                      {"namespace", "tailscale"}})},
                             {"spec", Value::map({{"holderIdentity", "operator-1"},
                                                  {"leaseDurationSeconds", 15},
                                                  {"renewTime", now}})}}));
        loop.after(kube::kLeaseRenewal, renew);
    };
    renew();
    EXPECT_EQ(
        clean({.yes = true}),
        "the controller is still running (operator-1): scale its Deployment to 0 first, or use "
        "--force");
    EXPECT_EQ(said, "checking for 15 s whether the controller (operator-1) is still running\n");
    EXPECT_EQ(tailnet.devices.size(), 2U);
    runs = false;
    EXPECT_EQ(clean({.yes = true}), "") << "no one renews it any more";
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(
        kube.paths_below("/apis/coordination.k8s.io/v1/namespaces/tailscale/leases").empty());
}

TEST_F(CleanupTest, RefusesWhileAPodOutlivesItsStatefulSet) {
    cluster.remove_proxy("ts-web-bcdfg");
    cluster.remove_proxy("ts-db-bcdfg");
    EXPECT_EQ(clean({.yes = true}),
              "proxies are still running, such as pod \"ts-db-bcdfg-0\": remove the rendered "
              "manifests first, or use --force");
    EXPECT_EQ(clean({.yes = true}), "") << "a minute later it has ended";
    EXPECT_TRUE(tailnet.devices.empty());
}

TEST_F(CleanupTest, RefusesWhileTheOperatorServesWithOneOfTheDevices) {
    cluster.remove_proxy("ts-web-bcdfg");
    cluster.remove_proxy("ts-db-bcdfg");
    cluster.add_operator_proxy("ts-web-qwxyz", "ts-web-bcdfg");
    loop.run_for(kMinute);
    for (const bool force : {false, true}) {
        EXPECT_EQ(clean({.yes = true, .force = force}),
                  "the operator's StatefulSet \"ts-web-qwxyz\" has a device that would be deleted: "
                  "complete tailrender-adopt or tailrender-adopt --rollback first, or delete that "
                  "StatefulSet");
        EXPECT_EQ(tailnet.devices.size(), 3U);
    }
    cluster.remove_proxy("ts-web-qwxyz");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(tailnet.devices.size(), 1U);
}

TEST_F(CleanupTest, FindsADeviceThatJoinsUntilItsKeyIsRevoked) {
    network.fault = [this](const HttpRequest& request) {
        if (request.url.find("/keys") != std::string::npos && !tailnet.devices.contains("nLATE")) {
            tailnet.devices["nLATE"] = {"nLATE", "ts-web-bcdfg-0", "", "late", {"tag:k8s"}};
            kube.set_datum(FakeCluster::path("secrets", "ts-web-bcdfg-0"), "device_id", "nLATE");
        }
        return Fault::None;
    };
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_NE(said.find("removed device late.tail1a2b3.ts.net (nLATE, "
                        "Service/apps/ts-web-bcdfg)\n"),
              std::string::npos)
        << said;
}

TEST_F(CleanupTest, LeavesTheOperatorsDnsRecords) {
    const std::string path = FakeCluster::path("configmaps", "dnsrecords");
    const auto owned_by = [](const char* version) {
        return Value::list({Value::map({{"apiVersion", Value(std::string_view(version))},
                                        {"kind", "DNSConfig"},
                                        {"name", "ts-dns"}})});
    };
    for (const bool is_operators : {false, true}) {
        kube.put(
            path,
            Value::map({{"metadata", Value::map({{"name", "dnsrecords"},
                                                 {"ownerReferences",
                                                  owned_by(is_operators ? "tailscale.com/v1alpha1"
                                                                        : "example.com/v1")}})}}));
        EXPECT_EQ(clean({.yes = true, .force = true}), "");
        EXPECT_EQ(kube.find(path) != nullptr, is_operators);
    }
}

TEST_F(CleanupTest, RemovesNothingWithoutYes) {
    kube.put(FakeCluster::path("secrets", "peerrelay-edge-0-config"),
             controller::relay_secret(FakeCluster::kNamespace, "edge", "peerrelay-edge-0"));
    EXPECT_EQ(clean({.yes = false, .force = true}), "");
    EXPECT_NE(said.find("would remove Secret peerrelay-edge-0-config\n"), std::string::npos)
        << said;
    EXPECT_NE(said.find("would remove Secret ts-web-bcdfg-0-auth\n"), std::string::npos) << said;
    EXPECT_NE(said.find("would remove ConfigMap tailrender-devices\n"), std::string::npos) << said;
    EXPECT_EQ(said.find("removed "), std::string::npos) << said;
    EXPECT_EQ(tailnet.devices.size(), 2U);
    const std::string would_be = said;
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(said.find("would remove"), std::string::npos) << said;
    EXPECT_NE(said.find("removed Secret ts-web-bcdfg-0-auth\n"), std::string::npos) << said;
    EXPECT_TRUE(
        said.ends_with("removed ConfigMap tailrender-devices\n"
                       "done; nothing left of the controller\n"))
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'),
              std::count(would_be.begin(), would_be.end(), '\n'));
    EXPECT_TRUE(tailnet.devices.empty());
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_TRUE(kube.paths_below("/api/v1/namespaces/tailscale/secrets").empty());
    EXPECT_TRUE(kube.paths_below("/api/v1/namespaces/tailscale/configmaps").empty());
    EXPECT_EQ(clean({.yes = true, .force = true}), "") << "again";
    EXPECT_EQ(said, "nothing left of the controller\n");
}

TEST_F(CleanupTest, ClearsTheStatusOfWhatIsNoLongerServed) {
    const auto put = [this](const std::string& kind, const std::string& name, Value spec,
                            Value places) {
        Value condition = Value::map({{"type", "TailscaleProxyReady"}, {"status", "True"}});
        Value others = Value::map({{"type", "Others"}, {"status", "True"}});
        const std::string api = kind == "services" ? "/api/v1" : "/apis/networking.k8s.io/v1";
        std::string path = api + "/namespaces/apps/" + kind + "/" + name;
        kube.put(
            path,
            Value::map({{"metadata", Value::map({{"name", name}, {"namespace", "apps"}})},
                        {"spec", std::move(spec)},
                        {"status",
                         Value::map({{"loadBalancer", Value::map({{"ingress", std::move(places)}})},
                                     {"conditions",
                                      Value::list({std::move(condition), std::move(others)})}})}}));
        return path;
    };
    const auto hostname = [](const std::string& name) { return Value::map({{"hostname", name}}); };
    const auto balancer = [](std::string_view its_class) {
        return Value::map({{"type", "LoadBalancer"}, {"loadBalancerClass", its_class}});
    };
    const std::string fqdn =
        kube.datum(FakeCluster::path("secrets", "ts-web-bcdfg-0"), "device_fqdn");
    const std::string name = fqdn.substr(0, fqdn.size() - 1);
    ASSERT_FALSE(name.empty());
    const std::string web = put("services", "ts-web-bcdfg", balancer("tailscale"),
                                Value::list({hostname(name), hostname("gone.ts.net")}));
    const std::string shared = put("ingresses", "shared", Value::map(),
                                   Value::list({hostname(name), hostname("lb.example.com")}));
    const std::string theirs =
        put("services", "theirs", balancer("tailscale"), Value::list({hostname("other.ts.net")}));
    const Value before = kube.find(theirs)->clone();
    EXPECT_EQ(clean({.force = true}), "");
    EXPECT_NE(said.find("would remove status of Service/apps/ts-web-bcdfg\n"
                        "would remove status of Ingress/apps/shared\n"),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("Service/apps/theirs"), std::string::npos) << said;
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    const auto status_of = [this](const std::string& path) {
        return renderer::write_json(*kube.find(path)->find("status"));
    };
    EXPECT_EQ(status_of(web), R"({"conditions":[{"type":"Others","status":"True"}]})");
    EXPECT_EQ(status_of(shared),
              R"({"loadBalancer":{"ingress":[{"hostname":"lb.example.com"}]},"conditions":)"
              R"([{"type":"TailscaleProxyReady","status":"True"},)"
              R"({"type":"Others","status":"True"}]})");
    EXPECT_EQ(*kube.find(theirs), before);
}

TEST_F(CleanupTest, LeavesAStatusThatMayBeTheOperators) {
    const std::string path = "/api/v1/namespaces/apps/services/ts-web-bcdfg";
    Value condition = Value::map({{"type", "TailscaleProxyReady"}, {"status", "True"}});
    kube.put(path,
             Value::map(
                 {{"metadata", Value::map({{"name", "ts-web-bcdfg"}, {"namespace", "apps"}})},
                  {"status", Value::map({{"conditions", Value::list({std::move(condition)})}})}}));
    const Value before = kube.find(path)->clone();
    cluster.add_operator_proxy("ts-other-qwxyz", "other");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(*kube.find(path), before);
}

TEST_F(CleanupTest, ShowsWhatItWouldRemoveInTheTailnet) {
    put_table("svc:docs");
    EXPECT_EQ(clean({.yes = false, .force = true}), "");
    const auto& [id, device] = *tailnet.devices.begin();
    EXPECT_NE(said.find("would remove device " + device.name + ".tail1a2b3.ts.net (" + id +
                        ", Service/apps/" + device.name.substr(0, device.name.rfind('-')) + ")\n"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("would remove Tailscale Service svc:docs\n"), std::string::npos) << said;
    EXPECT_NE(said.find("nothing was removed; use --yes to remove these\n"), std::string::npos)
        << said;
}

TEST_F(CleanupTest, ShowsADeviceOfALostStateAsTheTailnetKnowsIt) {
    kube.erase(FakeCluster::path("secrets", "ts-web-bcdfg-0"));
    EXPECT_EQ(clean({.yes = false, .force = true}), "");
    EXPECT_NE(said.find("would remove device ts-web-bcdfg-0.tail1a2b3.ts.net (" + noted_device() +
                        ", Service/apps/ts-web-bcdfg)\n"),
              std::string::npos)
        << said;
}

// A pod may name any tailnet.
TEST_F(CleanupTest, LeavesADeviceOfWhichOnlyAPodSaysTheTailnet) {
    const std::string own = noted_device();
    kube.erase(FakeCluster::path("secrets", "ts-web-bcdfg-0-auth"));
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(tailnet.devices.contains(own));
    EXPECT_NE(said.find("leaves device " + own +
                        ", which Secret ts-web-bcdfg-0 names: only its state Secret says which "
                        "tailnet it is in\n"),
              std::string::npos)
        << said;
}

// A pod may name any device.
TEST_F(CleanupTest, LeavesADeviceThatAPodMerelyNames) {
    const std::string own = noted_device();
    tailnet.devices["nVICTIM"] = {"nVICTIM", "laptop", "", "laptop", {"tag:laptop"}};
    const std::string state = FakeCluster::path("secrets", "ts-web-bcdfg-0");
    kube.set_datum(state, "device_id", "nVICTIM");
    kube.set_datum(state, "device_fqdn", "harmless.tail1a2b3.ts.net.");
    for (const bool yes : {false, true}) {
        EXPECT_EQ(clean({.yes = yes, .force = true}), "");
        EXPECT_NE(said.find("leaves device laptop.tail1a2b3.ts.net (nVICTIM), which Secret "
                            "ts-web-bcdfg-0 names: it has the tags \"tag:laptop\", expected "
                            "\"tag:k8s\"\n"),
                  std::string::npos)
            << said;
        EXPECT_EQ(said.find("harmless"), std::string::npos) << said;
    }
    EXPECT_TRUE(tailnet.devices.contains("nVICTIM"));
    EXPECT_FALSE(tailnet.devices.contains(own));
    EXPECT_EQ(tailnet.devices.size(), 1U);
}

TEST_F(CleanupTest, RemovesAStateSecretThatItsPodHasHidden) {
    cluster.remove_proxy("ts-web-bcdfg");
    cluster.remove_proxy("ts-db-bcdfg");
    loop.run_for(kMinute);
    const std::string path = FakeCluster::path("secrets", "ts-web-bcdfg-0");
    Value state = kube.find(path)->clone();
    state.find("metadata")->erase("labels");
    state.find("metadata")->put("finalizers", Value::list({Value("example.com/mine")}));
    kube.put(path, std::move(state));
    EXPECT_EQ(clean({.yes = true}), "");
    EXPECT_EQ(kube.paths_below(FakeCluster::path("secrets", "")).size(), 0U);
    EXPECT_TRUE(tailnet.devices.empty());
}

// A device that is noted for another replica belongs to that one, and is not named as left.
TEST_F(CleanupTest, RemovesADeviceThatAnotherReplicaClaimsToo) {
    const std::string own = noted_device();
    kube.set_datum(FakeCluster::path("secrets", "ts-db-bcdfg-0"), "device_id", own);
    kube.set_datum(FakeCluster::path("secrets", "ts-db-bcdfg-0"), "device_fqdn", "x");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(said.find("leaves"), std::string::npos) << said;
    EXPECT_TRUE(tailnet.devices.empty());
}

// A pod may also not claim the device of another replica.
TEST_F(CleanupTest, LeavesADeviceOfAnotherPurpose) {
    tailnet.devices["nOTHER"] = {"nOTHER", "ts-else-bcdfg-0", "", "ts-else-bcdfg-0", {"tag:k8s"}};
    const std::string state = FakeCluster::path("secrets", "ts-web-bcdfg-0");
    kube.set_datum(state, "device_id", "nOTHER");
    cluster.remove_proxy("ts-web-bcdfg");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(tailnet.devices.contains("nOTHER")) << said;
}

TEST_F(CleanupTest, RefusesWhatItCannotReach) {
    put_table("partner/svc:docs");
    EXPECT_EQ(clean({.yes = true, .force = true}),
              "tailnet \"partner\" has devices or keys of the controller, but ConfigMap "
              "\"tailrender-tailnet-partner\" "
              "is missing: apply it again");
    put_table("svc:docs");
    kube.erase(kLedger);
    EXPECT_EQ(
        clean({.yes = true, .force = true}),
        "ConfigMap \"tailrender-devices\" is missing, and \"tailrender-ingress-addresses\" "
        "does not identify the controller's Tailscale Services: delete the latter to keep them");
    EXPECT_EQ(tailnet.devices.size(), 2U);
}

TEST_F(CleanupTest, KnowsItsServicesAndKeysAfterOneRecordWasLost) {
    const std::string mark(renderer::text_of(kube.find(kLedger)->at({"data", "owner"})));
    ASSERT_TRUE(mark.starts_with("tailrender-")) << mark;
    EXPECT_EQ(renderer::text_of(kube.find(kTable)->at({"data", "owner"})), mark);
    put_table("svc:docs", mark);
    put_service("svc:docs", mark);
    tailnet.keys["kLOST"] = {"kLOST", "secret", mark, {"tag:k8s"}, loop.now() + 60 * kMinute};
    ASSERT_EQ(tailnet.usable_keys().size(), 1U);
    kube.erase(kLedger);
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(tailnet.services.empty());
    EXPECT_TRUE(tailnet.usable_keys().empty());
    EXPECT_EQ(kube.find(kTable), nullptr);
}

TEST_F(CleanupTest, SaysWhichServiceIsNotItsOwn) {
    put_table("svc:docs");
    put_service("svc:docs", "nOTHER");
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(tailnet.services.size(), 1U);
    EXPECT_NE(said.find("Tailscale Service svc:docs is kept: it is not the controller's\n"),
              std::string::npos)
        << said;
}

TEST_F(CleanupTest, ReadsTheTailnetOfALostStateFromTheAuthSecret) {
    kube.erase(FakeCluster::path("secrets", "ts-web-bcdfg-0"));
    const std::string path = FakeCluster::path("secrets", "ts-web-bcdfg-0-auth");
    Value auth = kube.find(path)->clone();
    auth.find("metadata")->find("annotations")->put(Value(renderer::kTailnetAnnotation), "partner");
    kube.put(path, std::move(auth));
    EXPECT_TRUE(clean({.yes = true, .force = true}).starts_with("tailnet \"partner\" has"));
    EXPECT_EQ(tailnet.devices.size(), 2U);
}

TEST_F(CleanupTest, KeepsSecretsThatNameADeviceUntilItIsDeleted) {
    network.fault = [](const HttpRequest& request) {
        return request.url.find("/device/") != std::string::npos ? Fault::Hung : Fault::None;
    };
    EXPECT_NE(clean({.yes = true, .force = true}), "");
    EXPECT_EQ(kube.paths_below("/api/v1/namespaces/tailscale/secrets").size(), 4U);
    network.fault = [](const HttpRequest&) { return Fault::None; };
    EXPECT_EQ(clean({.yes = true, .force = true}), "");
    EXPECT_TRUE(tailnet.devices.empty());
}

}  // namespace
}  // namespace runtime::operate
