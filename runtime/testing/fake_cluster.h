// What else lives in a cluster: StatefulSets make pods, and pods with stock containerboot in them
// mount their Secrets, join the tailnet and write what they know into their state Secret (tailscale
// v1.96.5, cmd/containerboot/kube.go). Everything moves in steps of a quarter of a second.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/testing/fake_kube.h"
#include "runtime/testing/fake_tailnet.h"

namespace runtime {

class FakeCluster {
public:
    FakeCluster(FakeLoop& loop, FakeKube& kube, FakeTailnet& tailnet);

    static constexpr std::string_view kNamespace = "tailscale";
    static std::string path(std::string_view plural, std::string_view name);

    void add_proxy(const std::string& name, int replicas = 1, const std::string& tags = "tag:k8s");
    void remove_proxy(const std::string& name) { kube_.erase(path("statefulsets", name)); }
    void restart_pod(const std::string& pod) { kube_.erase(path("pods", pod)); }

private:
    struct Container {
        Time started_at = {};
        bool waits_for_key = false;
    };

    void tick();
    void run_pods();
    void run_container(const std::string& pod, const std::string& uid);
    void start(const std::string& pod, const std::string& uid);

    FakeLoop& loop_;
    FakeKube& kube_;
    FakeTailnet& tailnet_;
    std::map<std::string, Container> containers_;  // by UID of the pod
};

}  // namespace runtime
