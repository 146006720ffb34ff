// Runs `cleanup` of an installation with two proxies, after its controller has stopped.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "renderer/contract/auth_secret.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/ingress_groups/group_objects.h"
#include "runtime/operate/cleanup/cleanup.h"
#include "runtime/testing/controller_test.h"

namespace runtime {

inline constexpr const char* kOperator = "/apis/apps/v1/namespaces/tailscale/deployments/operator";

class CleanupTest : public testing::Test {
protected:
    CleanupTest() {
        network.add("https://kube", kube);
        network.add("https://tailnet", tailnet);
        put_operator(renderer::Value::map({{"value", "https://tailnet"}}));
        cluster.add_proxy("ts-web-bcdfg");
        cluster.add_proxy("ts-db-bcdfg");
        const ControllerProcess controller(loop, network, 1);
        loop.run_for(kMinute);
    }

    // Puts the controller's Deployment. `login_server` is the entry of that variable in its
    // environment; null: it has none. `api_ns` is the API proxy's own namespace; empty: it has
    // none.
    void put_operator(renderer::Value login_server, const std::string& api_ns = {}) {
        renderer::Value variables = renderer::Value::list();
        if (login_server.is_map()) {
            login_server.put("name", "OPERATOR_LOGIN_SERVER");
            variables.append(std::move(login_server));
        }
        if (!api_ns.empty()) {
            variables.append(
                renderer::Value::map({{"name", "API_PROXY_NAMESPACE"}, {"value", api_ns}}));
        }
        renderer::Value container =
            renderer::Value::map({{"args", renderer::Value::list({renderer::Value("controller")})},
                                  {"env", std::move(variables)}});
        renderer::Value pod =
            renderer::Value::map({{"containers", renderer::Value::list({std::move(container)})}});
        kube.put(
            kOperator,
            renderer::Value::map(
                {{"metadata", renderer::Value::map({{"name", "operator"}})},
                 {"spec", renderer::Value::map(
                              {{"replicas", 0},
                               {"template", renderer::Value::map({{"spec", std::move(pod)}})}})}}));
    }

    std::string clean(const operate::CleanupOptions& options) {
        ProcessLoop process(loop);
        said.clear();
        kube::Client client(transport, {.server = "https://kube", .ca_file = "", .token_file = ""});
        const operate::OperateContext context{
            process, client, ns, [this](const std::string& line) { said += line + "\n"; }};
        operate::Cleanup cleanup(
            context, transport, log, random, options,
            [this](const std::string& login_server,
                   const std::string& oauth_secret) -> renderer::Result<tailnet::TailnetSettings> {
                asked_server = login_server;
                asked_secret = oauth_secret;
                tailnet::TailnetSettings own = fake_tailnet_settings();
                own.server = own.token_server =
                    login_server.empty() ? "https://tailnet" : login_server;
                return own;
            });
        std::string result = "has not ended";
        cleanup.start([&result](const std::string& problem) { result = problem; });
        loop.run_for(kMinute);
        return result;
    }

    static constexpr const char* kTable =
        "/api/v1/namespaces/tailscale/configmaps/tailrender-ingress-addresses";
    static constexpr const char* kLedger =
        "/api/v1/namespaces/tailscale/configmaps/tailrender-devices";

    // `owner` marks our objects in the tailnet; empty: the table does not have it.
    void put_table(const std::string& service, const std::string& owner = {}) {
        controller::AddressTable table;
        controller::ServiceRecord record;
        record.group = "front";
        record.parent = "Ingress/apps/docs";
        table.data["services"] = controller::write_records({{service, record}});
        if (!owner.empty()) {
            table.data["owner"] = owner;
        }
        kube.put(kTable, controller::address_table(FakeCluster::kNamespace, table));
    }
    void put_service(const std::string& name, const std::string& owner) {
        const std::string owners = R"({"ownerRefs":[{"operatorID":")" + owner + R"("}]})";
        tailnet.services[name] = renderer::Value::map(
            {{"name", name},
             {"annotations", renderer::Value::map({{"tailscale.com/owner-references", owners}})}});
    }

    std::string noted_device() {
        return std::string(
            renderer::text_of(kube.find(FakeCluster::path("secrets", "ts-web-bcdfg-0-auth"))
                                  ->at({"metadata", "annotations", renderer::kDeviceAnnotation})));
    }

    std::string ns{FakeCluster::kNamespace};
    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{loop, kube, tailnet};
    FakeTransport transport{network};
    Log log{Log::Form::Text, LogLevel::Error};
    RandomSource random{1};
    std::string said;
    std::optional<std::string> asked_server, asked_secret;
};

}  // namespace runtime
