// A cluster with the operator's proxies, to which the rendered ones have been applied. adopt_run.h
// runs `adopt` in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/testing/controller_process.h"
#include "runtime/testing/durations.h"

namespace runtime {

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
// Another user's Service that targets the first proxy by externalName.
inline constexpr const char* kAlias = "/api/v1/namespaces/alias/services/web0";

// Besides the proxies, it has an Ingress and a custom resource of each kind that the operator holds
// by finalizers, an egress group with a Service, a Recorder, and objects that are owned by two
// custom resources that are being deleted.
struct World {
    // By default there are more proxies than move at a time. The last `waiting` of them have not
    // joined.
    explicit World(int its_proxies = 7, int waiting = 0);

    static std::string secret(const std::string& name) {
        return FakeCluster::path("secrets", name);
    }
    void start_controller() { controller = std::make_unique<ControllerProcess>(loop, network, 1); }

    std::string externally(int i);

    void expect_adopted();
    void expect_gone_back();
    // Expects the same devices as before, however far adopt has got.
    void expect_devices();
    // Expects that no Secret of the group or the Recorder is the controller's.
    void expect_nothing_taken();
    // True if a device of the group runs in one of its pods.
    bool group_runs();
    // Replaces each pod, as a StatefulSet does with a new template.
    void roll_group();

    // Adds a user's Service, an Ingress or a custom resource on which the operator keeps its
    // finalizer.
    void hold(const renderer::Kind& kind, std::string_view ns, std::string_view name,
              std::string_view finalizer, renderer::Value spec = renderer::Value::map());
    // Makes a custom resource the owner of an object, beside another owner if it is shared.
    void own(const renderer::Kind& kind, std::string_view name, const renderer::Kind& owner_kind,
             std::string_view owner, bool is_shared = false);
    // Returns the owners that are left, as "Kind/name".
    std::vector<std::string> owners(const renderer::Kind& kind, std::string_view name);
    std::vector<std::string> finalizers(const std::string& path);

    // Calls `event` right before the first request with this method to `name`, such as
    // statefulsets/web. An empty `method` means the first request that writes.
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

    // Returns how many proxies have a pod of one of their two names in which their device runs.
    int devices_that_run();

    int proxies;
    FakeLoop loop;
    FakeNetwork network{loop};
    FakeKube kube;
    FakeTailnet tailnet{loop};
    FakeCluster cluster{loop, kube, tailnet};
    std::unique_ptr<ControllerProcess> controller;

private:
    void add_held();
    void add_operator_group();
    void render_group();
    void expect_let_go();
    void expect_group_adopted();
    void expect_group_back();
    void expect_group_runs();
    bool runs(const std::string& pod);
};

}  // namespace runtime
