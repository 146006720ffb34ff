// A cluster with the operator's proxies, to which the rendered ones have been applied. Runs of
// `adopt` in it: adopt_run.h.
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
// Someone else's name for the first of them.
inline constexpr const char* kAlias = "/api/v1/namespaces/alias/services/web0";

// Beside the proxies: an Ingress and a custom resource of each kind that the operator holds by
// finalizers, an egress group with a Service, a Recorder, and what two custom resources own that
// are being deleted.
struct World {
    // By default more than move at a time. The last `waiting` of them have not joined.
    explicit World(int its_proxies = 7, int waiting = 0);

    static std::string secret(const std::string& name) {
        return FakeCluster::path("secrets", name);
    }
    void start_controller() { controller = std::make_unique<ControllerProcess>(loop, network, 1); }

    std::string externally(int i);

    void expect_adopted();
    void expect_gone_back();
    // Whatever adopt has come to.
    void expect_devices();
    // No Secret of the group's or the Recorder's is the controller's.
    void expect_nothing_taken();
    // The group has a pod in which a device of it runs.
    bool group_runs();
    // As a StatefulSet does with a new template: each pod is replaced.
    void roll_group();

    // A user's Service, an Ingress or a custom resource, which the operator keeps its finalizer on.
    void hold(const renderer::Kind& kind, std::string_view ns, std::string_view name,
              std::string_view finalizer, renderer::Value spec = renderer::Value::map());
    // A custom resource becomes the owner, beside someone else if it is shared.
    void own(const renderer::Kind& kind, std::string_view name, const renderer::Kind& owner_kind,
             std::string_view owner, bool is_shared = false);
    // Those that are left, as "Kind/name".
    std::vector<std::string> owners(const renderer::Kind& kind, std::string_view name);
    std::vector<std::string> finalizers(const std::string& path);

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

    // Those of the proxies that have a pod of one of the two names.
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
