// A controller with a PeerRelay, "edge"; the test sets the status of its load balancers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/contract/relay_config.h"
#include "runtime/controller/relays/relay_objects.h"
#include "runtime/testing/status_test.h"

namespace runtime {

class RelaysTest : public StatusTest {
protected:
    RelaysTest() { cluster.keep_device = true; }

    static constexpr std::string_view kKey = "cap-148.hujson";
    static constexpr std::string_view kRelay = "/apis/tailscale.com/v1alpha1/peerrelays/edge";
    static std::string pod(int ordinal) {
        return "peerrelay-edge-" + std::string(1, static_cast<char>('0' + ordinal));
    }
    static std::string config_path(int ordinal) { return secret(pod(ordinal) + "-config"); }
    static std::string config_map() {
        return FakeCluster::path("configmaps", std::string(renderer::kRelayPrefix) + "edge");
    }
    static std::string rendered(int ordinal, std::string_view more = "") {
        return R"({"Version":"alpha0","Hostname":"edge-)" +
               std::string(1, static_cast<char>('0' + ordinal)) + R"(","RelayServerPort":41641)" +
               std::string(more) + "}";
    }
    // Puts the configuration as it is rendered.
    void configure(int replicas, const std::string& fixed = {}) {
        renderer::Value data = renderer::Value::map();
        for (int i = 0; i < replicas; ++i) {
            data.put(renderer::Value(pod(i) + "." + std::string(kKey)),
                     renderer::Value(rendered(i)));
        }
        put_if(data, !fixed.empty(), "static-endpoints", renderer::Value(fixed));
        cluster.configure_relay("edge", data);
    }
    void render(int replicas, const std::string& fixed = {}) {
        configure(replicas, fixed);
        cluster.add_relay("edge", replicas);
    }
    void add_resource(const std::string& spec) {
        kube.has_custom_resources = true;
        put(std::string(kRelay), "edge", "", spec);
    }
    // Sets the status of a replica's load balancer; `ingress` is JSON.
    void balance(int ordinal, const std::string& ingress) {
        kube.put(FakeCluster::path("services", pod(ordinal)),
                 renderer::Value::map(
                     {{"metadata", renderer::Value::map({{"name", pod(ordinal)},
                                                         {"namespace", FakeCluster::kNamespace}})},
                      {"spec", renderer::Value::map({{"type", "LoadBalancer"}})},
                      {"status", json(R"({"loadBalancer":{"ingress":)" + ingress + "}}")}}));
    }
    std::string config(int ordinal) { return kube.datum(config_path(ordinal), kKey); }
    // Returns the static endpoints in a replica's configuration: `"192.0.2.1:41641"`.
    std::string endpoints(int ordinal) {
        const std::string text = config(ordinal);
        const std::size_t begin = text.find(",\"RelayServerStaticEndpoints\":[");
        return begin == std::string::npos ? std::string()
                                          : text.substr(begin + 31, text.size() - begin - 33);
    }
    std::string ready() {
        const renderer::Value* all = kube.find(std::string(kRelay))->at({"status", "conditions"});
        return all == nullptr || all->size() != 1
                   ? std::string()
                   : std::string(renderer::text_of(all->items()[0].find("reason"))) + ": " +
                         std::string(renderer::text_of(all->items()[0].find("message")));
    }
    std::string told_endpoints() {
        const renderer::Value* all = kube.find(std::string(kRelay))->at({"status", "endpoints"});
        return all == nullptr ? std::string() : renderer::write_json(*all);
    }
};

}  // namespace runtime
