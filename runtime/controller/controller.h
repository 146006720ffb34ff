// The controller: gives every proxy its state and auth Secret, renews the keys in them, and removes
// the devices of deleted proxies. It reads the cluster (ClusterView); ReplicaSteps decides and does
// the steps of replicas, and features (feature.h) the rest. It keeps the state that it decides by
// only in the cluster and in the tailnet. After a change it looks at what is affected, and every
// ten seconds at all replicas, because time also changes decisions.
//
// It writes only Secrets, ConfigMaps and Events that it has created itself, and no field of other
// objects.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/controller/features.h"
#include "runtime/controller/installation.h"
#include "runtime/controller/replica_steps.h"

namespace runtime::controller {

struct ControllerSettings {
    std::string ns;
    std::string api_ns = {};  // the API proxy's own namespace; empty: it has none
    Duration cleanup_delay = std::chrono::minutes(5);
    std::string take_over_tag = {};           // empty: nothing is taken over
    std::string ingress_class = "tailscale";  // name of the class that is served
    tailnet::TailnetSettings tailnet;         // the controller's own
    OwnAccount account;
};

class Controller {
public:
    // All references outlive the controller. It begins with `start`, once it may write.
    Controller(Loop& loop, Transport& transport, Resolver& resolver, kube::Client& kube, Log& log,
               RandomSource& random, ControllerSettings settings);
    ~Controller();
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    void start();

    // For metrics and tests.
    struct Counts {
        std::size_t replicas = 0;  // wanted
        std::size_t busy = 0;      // that run a step
        std::array<std::size_t, kDeviceStates> devices{};
        std::uint64_t retries = 0;
        std::uint64_t keys_minted = 0;
        std::size_t keys_expiring = 0;
        bool blocks_proxies = false;  // removals of proxies
        bool blocks_services = false;
    };
    [[nodiscard]] Counts counts() const;
    // True if the controller has seen the whole cluster.
    [[nodiscard]] bool is_ready() const { return view_.complete(); }

private:
    void begin(const std::string& owner);
    void tick();

    Loop& loop_;
    Resolver& resolver_;
    kube::Client& kube_;
    Log& log_;
    RandomSource& random_;
    ControllerSettings settings_;

    ClusterView view_;
    Tailnets tailnets_;
    kube::Events events_;
    ObjectEditor editor_;
    Ledger ledger_;
    Parents parents_;
    StatusWriter status_;
    RemovalGuard service_guard_;
    Installation installation_;
    Features features_;
    std::unique_ptr<ReplicaSteps> steps_;  // once the installation is known
    std::uint64_t ticks_ = 0;
};

}  // namespace runtime::controller
