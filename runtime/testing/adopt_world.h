// A cluster with the operator's proxies, to which the rendered ones have been applied. Runs of
// `adopt` in it: adopt_run.h.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "renderer/core/text_of.h"
#include "runtime/testing/controller_process.h"

namespace runtime {

inline constexpr Duration kSecond = std::chrono::seconds(1);
inline constexpr Duration kMinute = std::chrono::minutes(1);

inline std::string old_set(int i) {
    return "ts-web" + std::to_string(i) + "-qwxyz";
}
inline std::string new_set(int i) {
    return "ts-web" + std::to_string(i) + "-bcdfg";
}
inline std::string parent(int i) {
    return "web" + std::to_string(i);
}
inline std::string user_service(const std::string& name) {
    return "/api/v1/namespaces/apps/services/" + name;
}
// Somebody else's name for the first of them.
inline constexpr const char* kAlias = "/api/v1/namespaces/alias/services/web0";

struct World {
    // By default more than move at a time. The last `waiting` of them have not joined.
    explicit World(int its_proxies = 7, int waiting = 0) : proxies(its_proxies) {
        network.add("https://kube", kube);
        network.add("https://tailnet", tailnet);
        cluster.add_operator();
        for (int i = 0; i < proxies; ++i) {
            cluster.add_operator_proxy(old_set(i), parent(i), i < proxies - waiting ? 1 : 0);
            const std::string target = old_set(i) + ".tailscale.svc.cluster.local";
            kube.put(user_service(parent(i)),
                     renderer::Value::map(
                         {{"metadata",
                           renderer::Value::map(
                               {{"name", parent(i)},
                                {"namespace", "apps"},
                                {"finalizers",
                                 renderer::Value::list({renderer::Value("tailscale.com/finalizer"),
                                                        renderer::Value("example.com/other")})}})},
                          {"spec", renderer::Value::map(
                                       {{"type", "ExternalName"}, {"externalName", target}})}}));
        }
        kube.put(
            kAlias,
            renderer::Value::map(
                {{"metadata", renderer::Value::map({{"name", "web0"}, {"namespace", "alias"}})},
                 {"spec", renderer::Value::map({{"externalName", externally(0)}})}}));
        loop.run_for(5 * kSecond);
        for (int i = 0; i < proxies; ++i) {
            cluster.add_proxy(new_set(i), 1, "tag:k8s", parent(i));
        }
    }

    static std::string secret(const std::string& name) {
        return FakeCluster::path("secrets", name);
    }
    void start_controller() { controller = std::make_unique<ControllerProcess>(loop, network, 1); }

    std::string externally(int i) {
        return std::string(
            renderer::text_of(kube.find(user_service(parent(i)))->at({"spec", "externalName"})));
    }

    void expect_adopted() {
        EXPECT_EQ(cluster.doubles, 0);
        EXPECT_TRUE(tailnet.keys.empty()) << "a key was minted: a device would be new";
        EXPECT_EQ(tailnet.devices.size(), static_cast<std::size_t>(proxies));
        for (int i = 0; i < proxies; ++i) {
            SCOPED_TRACE(new_set(i));
            const std::string state = secret(new_set(i) + "-0");
            EXPECT_EQ(kube.datum(state, "device_id"), "nOLD-" + parent(i));
            EXPECT_EQ(kube.datum(state, "device_fqdn"), "apps-" + parent(i) + ".tail1a2b3.ts.net.");
            EXPECT_EQ(kube.datum(state, "_machinekey"), "privkey:" + parent(i));
            EXPECT_EQ(kube.datum(state, "cap-107.hujson"), "");
            EXPECT_EQ(kube.datum(state, "pod_uid"),
                      renderer::text_of(kube.find(FakeCluster::path("pods", new_set(i) + "-0"))
                                            ->at({"metadata", "uid"})));
            for (const char* kind : {"statefulsets", "services"}) {
                EXPECT_EQ(kube.find(FakeCluster::path(kind, old_set(i))), nullptr) << kind;
            }
            EXPECT_EQ(kube.find(secret(old_set(i) + "-0")), nullptr);
            EXPECT_EQ(kube.find(FakeCluster::path("pods", old_set(i) + "-0")), nullptr);
            EXPECT_EQ(externally(i), new_set(i) + ".tailscale.svc.cluster.local");
            EXPECT_EQ(*kube.find(user_service(parent(i)))->at({"metadata", "finalizers"}),
                      renderer::Value::list({renderer::Value("example.com/other")}));
        }
        EXPECT_EQ(renderer::text_of(kube.find(kAlias)->at({"spec", "externalName"})),
                  externally(0));
        EXPECT_EQ(kube.find(FakeCluster::path("deployments", "operator"))
                      ->at({"spec", "replicas"})
                      ->as_int(),
                  0);
    }

    // What else happens right before the first request of that method, or without one the first
    // that writes, to `name`, such as statefulsets/web.
    void before(const std::string& method, const std::string& name,
                const std::function<void()>& event) {
        network.fault = [method, name, event, is_over = false](const HttpRequest& request) mutable {
            const bool is_it = method.empty() ? request.method != "GET" : request.method == method;
            if (!is_over && is_it && request.url.ends_with("/" + name)) {
                is_over = true;
                event();
            }
            return Fault::None;
        };
    }

    // All devices have a pod, each one.
    int devices_that_run() {
        int running = 0;
        for (int i = 0; i < proxies; ++i) {
            for (const std::string& set : {old_set(i), new_set(i)}) {
                const renderer::Value* pod = kube.find(FakeCluster::path("pods", set + "-0"));
                running += pod != nullptr && kube.datum(secret(set + "-0"), "pod_uid") ==
                                                 renderer::text_of(pod->at({"metadata", "uid"}))
                               ? 1
                               : 0;
            }
        }
        return running;
    }

    int proxies;
    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{loop, kube, tailnet};
    std::unique_ptr<ControllerProcess> controller;
};

}  // namespace runtime
