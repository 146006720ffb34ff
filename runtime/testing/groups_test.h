// A controller with groups that are reached from the tailnet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/contract/group_config.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime {

inline constexpr std::string_view kDocs =
    R"({"name":"svc:docs","parent":"Ingress/apps/docs","ports":["tcp:443"],"tags":["tag:k8s"],"certificate":"docs.tail1a2b3.ts.net"})";
inline constexpr std::string_view kBroker =
    R"({"name":"svc:broker","parent":"Service/apps/broker","ports":["do-not-validate"],"tags":["tag:broker"]})";
inline constexpr std::string_view kApi =
    R"({"name":"svc:api","parent":"ProxyGroup/kube","ports":["tcp:443"],"tags":["tag:k8s"],"certificate":"api.tail1a2b3.ts.net"})";

class GroupsTest : public ControllerTest {
protected:
    std::string pod_uid(const std::string& name) {
        const renderer::Value* pod = kube.find(FakeCluster::path("pods", name));
        return std::string(pod == nullptr ? "" : renderer::text_of(pod->at({"metadata", "uid"})));
    }
    void add_service(const std::string& name, renderer::Value addresses) {
        kube.put("/api/v1/namespaces/apps/services/" + name,
                 renderer::Value::map(
                     {{"metadata", renderer::Value::map({{"name", name}, {"namespace", "apps"}})},
                      {"spec", renderer::Value::map({{"type", "LoadBalancer"},
                                                     {"loadBalancerClass", "tailscale"},
                                                     {"clusterIPs", std::move(addresses)}})}}));
    }
    void add_ingress(const std::string& name) {
        kube.put(
            "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/" + name,
            renderer::Value::map(
                {{"metadata", renderer::Value::map({{"name", name}, {"namespace", "apps"}})}}));
    }
    std::string table(std::string_view key) {
        const renderer::Value* object =
            kube.find(FakeCluster::path("configmaps", renderer::kIngressAddresses));
        return std::string(object == nullptr ? "" : renderer::text_of(object->at({"data", key})));
    }
    std::string owners(const std::string& service) {
        return std::string(renderer::text_of(
            tailnet.services.at(service).at({"annotations", "tailscale.com/owner-references"})));
    }
    void fill_certificate(const std::string& name, const std::string& text) {
        kube.set_datum(secret(name), "tls.key", "key");
        kube.set_datum(secret(name), "tls.crt", text);
    }
    // Starts a controller with a group of two replicas that offers an Ingress and a Service.
    void start_front() {
        add_service("broker", renderer::Value::list({"10.96.0.7"}));
        add_ingress("docs");
        cluster.add_group("front", 2, false);
        cluster.offer("front", renderer::Value::map({{"docs.json", renderer::Value(kDocs)},
                                                     {"broker.json", renderer::Value(kBroker)}}));
        start();
        run(kMinute);
        ASSERT_TRUE(tailnet.services.contains("svc:docs"));
        ASSERT_TRUE(tailnet.services.contains("svc:broker"));
    }
    static constexpr std::string_view kIngress =
        "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/docs";
    static constexpr std::string_view kService = "/api/v1/namespaces/apps/services/broker";
    std::string status(std::string_view path, std::string_view field = "loadBalancer") {
        const renderer::Value* found = kube.find(std::string(path))->at({"status", field});
        return found == nullptr ? "" : renderer::write_json(*found);
    }
    // Returns a condition, as in "True IngressSvcConfigured: 1/2 …".
    std::string condition(std::string_view path, std::string_view type) {
        const renderer::Value* all = kube.find(std::string(path))->at({"status", "conditions"});
        for (const renderer::Value& one :
             all == nullptr ? std::span<const renderer::Value>() : all->items()) {
            if (renderer::text_of(one.find("type")) == type) {
                return std::string(renderer::text_of(one.find("status"))) + " " +
                       std::string(renderer::text_of(one.find("reason"))) + ": " +
                       std::string(renderer::text_of(one.find("message")));
            }
        }
        return {};
    }
    // Returns "Kind/name: message" of the Events with this reason, in any namespace.
    std::vector<std::string> events(std::string_view reason) {
        std::vector<std::string> found;
        for (const std::string_view ns : {"apps", "default", "tailscale"}) {
            for (const auto& path :
                 kube.paths_below("/api/v1/namespaces/" + std::string(ns) + "/events")) {
                const renderer::Value& event = *kube.find(path);
                if (renderer::text_of(event.find("reason")) == reason) {
                    found.push_back(
                        std::string(renderer::text_of(event.at({"involvedObject", "kind"}))) + "/" +
                        std::string(renderer::text_of(event.at({"involvedObject", "name"}))) +
                        ": " + std::string(renderer::text_of(event.find("message"))));
                }
            }
        }
        return found;
    }
    std::size_t requests(std::string_view method, std::string_view part) {
        std::size_t count = 0;
        for (const auto& sent : network.log) {
            count += sent.method == method && sent.url.find(part) != std::string::npos ? 1 : 0;
        }
        return count;
    }
};

}  // namespace runtime
