// What else lives in a cluster: StatefulSets make pods, and pods with stock containerboot in them
// mount their Secrets, join the tailnet and write what they know into their state Secret (tailscale
// v1.96.5, cmd/containerboot/kube.go); those of a Recorder write tailscaled's own state alone. With
// `keep_device` they are of 1.98: what they know of their device outlives a start, they wait for
// ten minutes before they start again, API proxies ask for keys (cmd/k8s-proxy/kube.go), and each
// has a readiness probe.
// Everything moves in steps of a quarter of a second.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/testing/fake_kube.h"
#include "runtime/testing/fake_tailnet.h"

namespace runtime {

class FakeCluster {
public:
    FakeCluster(FakeLoop& loop, FakeKube& kube, FakeTailnet& tailnet);

    static constexpr std::string_view kNamespace = "tailscale";
    static std::string path(std::string_view plural, std::string_view name);

    // For Service apps/`parent`, by default of the same name.
    void add_proxy(const std::string& name, int replicas = 1, const std::string& tags = "tag:k8s",
                   const std::string& parent = {});
    // StatefulSet `kube-apiserver-proxy`, in the place of the operator's own device. Its parent is
    // the controller's own Deployment, which is not followed.
    void add_api_proxy();
    // A group of type ingress or kube-apiserver; what it offers is for the test to put.
    void add_group(const std::string& name, int replicas, bool is_api_proxy);
    void offer(const std::string& group, const renderer::Value& data);
    // A PeerRelay of StatefulSet `peerrelay-<name>`; again with another number it is scaled. What
    // its pods are configured with is for the test to put. They wait for that as well.
    void add_relay(const std::string& name, int replicas);
    void configure_relay(const std::string& name, const renderer::Value& data);
    // What tailscaled says once it has read so in its configuration.
    void advertise(const std::string& pod, const std::vector<std::string>& services);
    // What the operator (tailscale v1.96.5) makes for Service apps/`parent`: StatefulSet `name`,
    // Service and a Secret for each replica; the first `joined` have a device.
    void add_operator_proxy(const std::string& name, const std::string& parent, int joined = 1,
                            int replicas = 1);
    // A replica of such a proxy joins, as `apps-<parent>` or, behind the first, `apps-<parent>-N`.
    void log_in(const std::string& pod, const std::string& parent);
    // The operator itself.
    void add_operator();
    // As if the renderer had written another value; no value takes the annotation off.
    void annotate(const std::string& set, std::string_view key, std::string_view value);
    // Another one, for proxies whose annotation names it, with credentials in Secret `name`.
    void add_tailnet(const std::string& name, const std::string& url, FakeTailnet& tailnet);
    void remove_proxy(const std::string& name) { kube_.erase(path("statefulsets", name)); }
    void restart_pod(const std::string& pod) { kube_.erase(path("pods", pod)); }

    // The finalizers that the operator puts on objects of others, again and again while it runs, by
    // path.
    std::map<std::string, std::string> held;
    // Pods that admission refuses, by name.
    std::set<std::string> refused_pods;
    // Pods whose node is lost: they are deleted and do not end, by name.
    std::set<std::string> lost_pods;
    // Pods that start are of 1.98.
    bool keep_device = false;
    // How often a device was started while it ran in another pod.
    int doubles = 0;

private:
    struct Container {
        Duration begun = {};  // an uptime
        Time started_at = {}, first_started_at = {};
        bool waits_for_key = false;
        bool has_probe = false;
        int restarts = 0;
        std::string device = {};
        std::string key = {};  // that it began with
    };

    // What a step depends on beside the time.
    struct Seen {
        std::uint64_t version = 0;  // of the objects
        std::map<std::string, std::string> held;
        std::set<std::string> refused_pods, lost_pods;
        bool keep_device = false;
    };

    void put_config_map(const std::string& name, const renderer::Value& data);
    void tick();
    // Most steps of a test that runs for hours would change nothing: all that they depend on is as
    // the last one saw it, and nothing is due yet.
    [[nodiscard]] bool is_idle() const {
        return loop_.uptime() < due_ && seen_.version == kube_.version() && seen_.held == held &&
               seen_.refused_pods == refused_pods && seen_.lost_pods == lost_pods &&
               seen_.keep_device == keep_device;
    }
    void run_operator();
    void hold_objects();
    void run_pods();
    void run_set(const std::string& path);
    void stop(const std::string& path);
    [[nodiscard]] bool runs_elsewhere(const std::string& device, const std::string& uid) const;
    void run_container(const std::string& pod, const std::string& uid);
    [[nodiscard]] bool sees_other_key(const std::string& pod, const Container& container) const;
    void start(const std::string& pod, const std::string& uid);
    [[nodiscard]] std::string key_of(const std::string& pod, bool is_api_proxy) const;
    void write_profile(const std::string& secret, const FakeTailnet::Device& device);
    void write_device(const std::string& secret, const FakeTailnet& tailnet,
                      const std::string& device);
    void write_status(const std::string& pod, const Container& container);
    FakeTailnet& tailnet_of(const std::string& name);

    FakeLoop& loop_;
    FakeKube& kube_;
    FakeTailnet& tailnet_;
    std::map<std::string, FakeTailnet*> tailnets_;  // beside it, by name
    std::map<std::string, Container> containers_;   // by UID of the pod
    std::map<std::string, Duration> stops_at_;      // uptimes, by UID of the pod
    Seen seen_;                                     // by the last step that was not idle
    Duration due_ = {};                             // an uptime: when a pod stops or starts again
};

}  // namespace runtime
