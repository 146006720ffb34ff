// A fake of the rest of a cluster: StatefulSets create pods, and pods with stock containerboot in
// them mount their Secrets, join the tailnet and write their state Secret (tailscale v1.96.5,
// cmd/containerboot/kube.go). Pods of a Recorder write only tailscaled's own state. With
// `keep_device`, pods are of 1.98: what they have written about their device outlives a start, they
// wait for ten minutes before they start again, API proxies ask for keys (cmd/k8s-proxy/kube.go),
// and each has a readiness probe. Everything moves in steps of a quarter of a second.
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
    static constexpr std::string_view kNamespace = "tailscale";

    // Runs the objects of one namespace.
    FakeCluster(FakeLoop& loop, FakeKube& kube, FakeTailnet& tailnet,
                std::string_view ns = kNamespace);

    static std::string path(std::string_view plural, std::string_view name,
                            std::string_view ns = kNamespace);

    // Adds a proxy for Service apps/`parent`, by default of the same name.
    void add_proxy(const std::string& name, int replicas = 1, const std::string& tags = "tag:k8s",
                   const std::string& parent = {});
    // Adds StatefulSet `kube-apiserver-proxy`, which replaces the operator's own device. Its parent
    // is the controller's own Deployment, which is not followed.
    void add_api_proxy();
    // Adds a group of type ingress or kube-apiserver. Its offers are left to the test.
    void add_group(const std::string& name, int replicas, bool is_api_proxy);
    void offer(const std::string& group, const renderer::Value& data);
    // Adds a PeerRelay of StatefulSet `peerrelay-<name>`; a second call with another number scales
    // it. The configuration of its pods is left to the test, and they also wait for it.
    void add_relay(const std::string& name, int replicas);
    void configure_relay(const std::string& name, const renderer::Value& data);
    // Writes what tailscaled writes once its configuration advertises these services.
    void advertise(const std::string& pod, const std::vector<std::string>& services);
    // Adds what the operator (tailscale v1.96.5) creates for Service apps/`parent`: StatefulSet
    // `name`, a Service, and a Secret for each replica; the first `joined` replicas have a device.
    void add_operator_proxy(const std::string& name, const std::string& parent, int joined = 1,
                            int replicas = 1);
    // Lets a replica of such a proxy join, as `apps-<parent>` or, after the first,
    // `apps-<parent>-N`.
    void log_in(const std::string& pod, const std::string& parent);
    // Adds the operator itself.
    void add_operator();
    // Changes an annotation, as if the renderer had written another value; an empty value removes
    // it.
    void annotate(const std::string& set, std::string_view key, std::string_view value);
    // Adds another tailnet, for proxies whose annotation names it, with credentials in Secret
    // `name`.
    void add_tailnet(const std::string& name, const std::string& url, FakeTailnet& tailnet);
    void remove_proxy(const std::string& name) { kube_.erase(own("statefulsets", name)); }
    void restart_pod(const std::string& pod) { kube_.erase(own("pods", pod)); }

    // By path: the finalizers that the operator adds to users' objects, again and again while it
    // runs.
    std::map<std::string, std::string> held;
    // Names of pods that admission refuses.
    std::set<std::string> refused_pods;
    // Names of pods whose node is lost: they are being deleted, but do not end.
    std::set<std::string> lost_pods;
    // True: pods that start now are of 1.98.
    bool keep_device = false;
    // The number of times that a device was started while it ran in another pod.
    int doubles = 0;

private:
    struct Container {
        Duration begun = {};  // an uptime
        Time started_at = {}, first_started_at = {};
        bool waits_for_key = false;
        bool has_probe = false;
        int restarts = 0;
        std::string device = {};
        std::string key = {};  // that it started with
    };

    // The inputs of a step, besides the time.
    struct Seen {
        std::uint64_t version = 0;  // of the objects
        std::map<std::string, std::string> held;
        std::set<std::string> refused_pods, lost_pods;
        bool keep_device = false;
    };

    [[nodiscard]] std::string own(std::string_view plural, std::string_view name) const {
        return path(plural, name, ns_);
    }
    void put_config_map(const std::string& name, const renderer::Value& data);
    void tick();
    // True if a step would change nothing: everything that it depends on is as the last step saw
    // it, and nothing is due yet. This is so for most steps of a test that runs for hours.
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
    std::string ns_;
    std::map<std::string, FakeTailnet*> tailnets_;  // the other tailnets, by name
    std::map<std::string, Container> containers_;   // by UID of the pod
    std::map<std::string, Duration> stops_at_;      // uptimes, by UID of the pod
    Seen seen_;                                     // by the last step that was not idle
    Duration due_ = {};                             // an uptime: when a pod stops or starts again
};

}  // namespace runtime
