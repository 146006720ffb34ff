// The controller: gives every proxy its state and auth Secret, keeps the keys in them working, and
// removes devices whose proxies are gone. watch -> what is (mirrors) -> decide (pure) -> apply;
// nothing that it decides by is kept anywhere but in the cluster and in the tailnet.
//
// It writes Secrets, ConfigMaps and Events that it has made itself, and no field of anything else.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "runtime/controller/apply.h"
#include "runtime/controller/objects.h"
#include "runtime/controller/tailnets.h"
#include "runtime/kube/watch.h"

namespace runtime {

struct ControllerSettings {
    std::string ns;
    Duration cleanup_delay = std::chrono::minutes(5);
    TailnetSettings tailnet;  // the controller's own
};

class Controller {
public:
    // All references outlive it. Begins with `start`, once it may write.
    Controller(Loop& loop, Transport& transport, KubeClient& kube, Log& log, Chance& chance,
               ControllerSettings settings);
    ~Controller();
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    void start();

    // For metrics and tests.
    struct Counts {
        std::size_t replicas = 0;  // wanted
        std::size_t joined = 0;    // whose device is known
        std::size_t busy = 0;      // with a step under way
        std::size_t leaving = 0;   // wanted no more, not yet removed
        bool removal_is_blocked = false;
    };
    [[nodiscard]] Counts counts() const;

private:
    // What is remembered of a replica between steps.
    struct Slot {
        bool busy = false;
        std::unique_ptr<Backoff> backoff;
        Time not_before = {};
        std::string problem;  // the last one
    };

    void read_owner();
    void begin(const std::string& owner);
    std::function<void(const std::string&)> when_changed();
    void tick();
    void plan_reconcile(Duration delay);
    void reconcile();
    [[nodiscard]] std::map<std::string, Replica> replicas() const;
    [[nodiscard]] std::string blocked_by(const Replica& replica) const;
    bool removal_is_safe(const std::map<std::string, Replica>& all);
    void consider(const Replica& replica, bool may_remove);
    void take_result(const std::string& pod, const std::string& problem);
    void report(const std::string& pod, const std::string& problem);
    void sweep();

    Loop& loop_;
    KubeClient& kube_;
    Log& log_;
    Chance& chance_;
    ControllerSettings settings_;

    Mirror<ProxySet> sets_;
    Mirror<StateSecret> states_;
    Mirror<AuthSecret> auths_;
    Mirror<Pod> pods_;
    Mirror<TailnetConfig> tailnet_configs_;
    // One watch of Secrets feeds two mirrors.
    class SecretSink;
    std::unique_ptr<SecretSink> secrets_;
    Tailnets tailnets_;
    std::vector<std::unique_ptr<Watch>> watches_;
    std::unique_ptr<Apply> apply_;
    std::string key_mark_;

    std::map<std::string, Slot> slots_;
    int minting_ = 0;
    bool sweeping_ = false;
    bool sweep_is_due_ = true;
    bool reconcile_is_planned_ = false;
    bool removal_is_blocked_ = false;
};

}  // namespace runtime
